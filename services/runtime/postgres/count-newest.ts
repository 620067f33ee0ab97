/** Counts the entries of a list within a bound. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Db } from "./connect.ts";

/** How many entries of a list RPCs count at most, so that the work is bounded whatever the history. */
export const MAX_COUNTED = 10_000;

/** `countedBackTo` is when the last counted entry was made, where there may be more. */
export type Counted = { count: bigint; countedBackTo?: Timestamp };

/** `newest` selects `created_at` of the newest entries, at most `limit`. */
export async function countNewest(
  sql: Db,
  newest: ReturnType<Db>,
  limit: number,
): Promise<Counted> {
  const [{ count, last }] = await sql<[{ count: number; last: Date | null }]>`
    select count(*)::int as count, min(created_at) as last from (${newest}) newest`;
  const isBounded = count === limit && last !== null;
  return { count: BigInt(count), ...(isBounded && { countedBackTo: timestampFromDate(last) }) };
}
