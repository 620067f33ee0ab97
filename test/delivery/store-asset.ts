/** Reserves outputs as StoreOutput does before it copies them, and records them as stored, as a copy does at its end. */
import { randomToken } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/names.ts";
import {
  recordAssetIfReserved,
  reserveAssets,
  type AssetId,
  type NewAsset,
} from "../../services/delivery/store/assets.ts";

/** Reserves an output, and those before it; returns the token that is reserved now, "" if the outputs are discarded. */
export async function reserveAsset(
  sql: Sql,
  { accountId, ownerId: generationId, position }: AssetId,
  at: Date,
  { mode = "live", expiresAt = null }: { mode?: ModeName; expiresAt?: Date | null } = {},
): Promise<string> {
  const tokens = Array.from({ length: position + 1 }, () => randomToken());
  const of = { accountId, generationId, mode };
  const reserved = await reserveAssets(sql, of, tokens, { at, copyingUntil: at, expiresAt });
  return reserved[position]?.token ?? "";
}

/** Records the output with this token: by default a video of ten bytes. */
export function recordAsset(
  sql: Sql,
  asset: AssetId & Pick<NewAsset, "token" | "at"> & Partial<NewAsset>,
) {
  return recordAssetIfReserved(sql, {
    key: `${asset.token}.mp4`,
    thumbnailKey: null,
    contentType: "video/mp4",
    width: 1280,
    height: 720,
    durationSeconds: 5,
    provenance: null,
    bytes: 10,
    sha256: "0".repeat(64),
    ...asset,
  });
}
