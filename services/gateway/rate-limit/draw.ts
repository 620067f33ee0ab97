/** Draws from the buckets in Postgres; a bucket that nobody has drawn from yet is made on the way. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { drawFromBuckets, insertMissingBuckets } from "../store/rate-limits.ts";
import type { DrawParams } from "../store/rate-limits.ts";
import type { Draw, DrawAll, Drawn } from "./limiter.ts";

export function drawFromPostgres(sql: Sql): DrawAll {
  return async (draws, at) => {
    const asked = draws.map(paramsOf);
    const drawn = await drawByName(sql, asked, at);
    const missing = asked.filter((draw) => !drawn.has(nameOf(draw)));
    if (missing.length > 0) {
      await insertMissingBuckets(sql, missing, at);
      for (const [name, one] of await drawByName(sql, missing, at)) drawn.set(name, one);
    }
    return asked.map((draw) => {
      const one = drawn.get(nameOf(draw));
      if (!one) throw new Error("there is no such bucket, and it could not be made");
      return one;
    });
  };
}

async function drawByName(sql: Sql, draws: readonly DrawParams[], at: Date) {
  const rows = await drawFromBuckets(sql, draws, at);
  return new Map<string, Drawn>(
    rows.map((row) => [nameOf(row), { granted: row.granted, fullAtMs: row.full_at.getTime() }]),
  );
}

function paramsOf({ accountId, mode, kind, quota, wanted, returnedMs }: Draw): DrawParams {
  return { account_id: accountId, mode, kind, quota, wanted, returned_ms: returnedMs };
}

function nameOf(row: Pick<DrawParams, "account_id" | "mode" | "kind">): string {
  return `${row.account_id} ${row.mode} ${row.kind}`;
}
