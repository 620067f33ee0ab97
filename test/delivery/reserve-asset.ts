/** Reserves outputs as StoreOutput does before it copies them. */
import { randomToken } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { reserveAssets, type AssetId } from "../../services/delivery/store/assets.ts";

/** Reserves an output, and those before it; returns the token that is reserved now, "" if the outputs are discarded. */
export async function reserveAsset(
  sql: Sql,
  { accountId, ownerId: generationId, position }: AssetId,
  at: Date,
): Promise<string> {
  const tokens = Array.from({ length: position + 1 }, () => randomToken());
  const times = { at, copyingUntil: at, expiresAt: null };
  const reserved = await reserveAssets(
    sql,
    { accountId, generationId, mode: "live" },
    tokens,
    times,
  );
  return reserved[position]?.token ?? "";
}
