/** Reserves outputs as StoreOutput does before it copies them, records them as a copy does at its end, and deletes them. */
import { randomToken } from "#runtime/id.ts";
import type { Db, Sql } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/names.ts";
import { markedDeletion } from "../../services/delivery/maintenance/maintenance.ts";
import {
  batchedAssets,
  recordAssetsIfReserved,
  type NewAsset,
  type OutputsOf,
} from "../../services/delivery/store/assets.ts";

/** Deletes what is marked and due, as maintenance does; returns how many. */
export async function deleteMarked(deps: Parameters<typeof markedDeletion>[0]): Promise<number> {
  const { claim, work } = markedDeletion(deps);
  const claimed = await claim(100);
  for (const row of claimed) await work(row, new AbortController().signal);
  return claimed.length;
}

/** Reserves the first output of a generation; returns the token that is reserved now, "" if the outputs are discarded. */
export async function reserveAsset(
  sql: Sql,
  { accountId, generationId: ownerId }: OutputsOf,
  at: Date,
  { mode = "live", expiresAt = null }: { mode?: ModeName; expiresAt?: Date | null } = {},
): Promise<string> {
  const output = { accountId, ownerId, position: 0, mode, token: randomToken() };
  const times = { reservedAt: at, copyingUntil: at, expiresAt };
  const reserved = await batchedAssets(sql).reserve(accountId, { ...output, ...times });
  return reserved?.token ?? "";
}

/** Records the output with this token: by default a video of ten bytes. */
export async function recordAsset(
  sql: Db,
  { at, ...asset }: Pick<NewAsset, "token"> & Partial<NewAsset> & { at: Date },
) {
  const whole = {
    key: `${asset.token}.mp4`,
    thumbnailKey: null,
    contentType: "video/mp4",
    width: 1280,
    height: 720,
    durationSeconds: 5,
    provenance: null,
    bytes: 10,
    sha256: "0".repeat(64),
    storedAt: at,
    ...asset,
  };
  return (await recordAssetsIfReserved(sql, [whole]))[0] ?? undefined;
}
