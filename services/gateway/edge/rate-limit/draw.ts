/** Draws from the buckets in Postgres, creating those that do not exist yet. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { drawFromBuckets, insertMissingBuckets, type DrawParams } from "../../store/rate-limits.ts";
import type { Draw, DrawAll, Drawn } from "./limiter.ts";

export function drawFromPostgres(sql: Sql): DrawAll {
  return async (draws, at) => {
    const params = draws.map(paramsOf);
    const drawn = await drawByKey(sql, params, at);
    const missing = params.filter((draw) => !drawn.has(bucketKey(draw)));
    if (missing.length > 0) {
      await insertMissingBuckets(sql, missing, at);
      for (const [key, result] of await drawByKey(sql, missing, at)) drawn.set(key, result);
    }
    return params.map((draw) => {
      const result = drawn.get(bucketKey(draw));
      if (!result) throw new Error("a rate-limit bucket does not exist and could not be created");
      return result;
    });
  };
}

async function drawByKey(sql: Sql, draws: readonly DrawParams[], at: Date) {
  const rows = await drawFromBuckets(sql, draws, at);
  return new Map<string, Drawn>(
    rows.map((row) => [bucketKey(row), { granted: row.granted, fullAtMs: row.fullAt.getTime() }]),
  );
}

function paramsOf({ accountId, mode, kind, quota, wanted, returnedMs }: Draw): DrawParams {
  return { accountId, mode, kind, quota, wanted, returnedMs };
}

function bucketKey(row: Pick<DrawParams, "accountId" | "mode" | "kind">): string {
  return `${row.accountId} ${row.mode} ${row.kind}`;
}
