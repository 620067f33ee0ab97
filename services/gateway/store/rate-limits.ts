/** The token buckets that all replicas share; rate-limit/bucket.ts explains the arithmetic. */
import type { Db } from "#runtime/postgres/connect.ts";
import { jsonRecords } from "#runtime/postgres/json-records.ts";

export type DrawParams = {
  accountId: string;
  mode: string;
  kind: string;
  /** A minute's quota, at least 1. */
  quota: number;
  wanted: number;
  /** Unspent requests returned to the bucket, as the time in which they would refill. */
  returnedMs: number;
};

export type DrawnRow = {
  accountId: string;
  mode: string;
  kind: string;
  granted: number;
  fullAt: Date;
};

/**
 * Returns the unspent requests to each bucket and grants as many of the wanted ones as it holds, as of `at`. A bucket
 * that does not exist has no row in the result. Rows are locked in the order of their key, which prevents deadlocks
 * between replicas.
 */
export function drawFromBuckets(
  sql: Db,
  draws: readonly DrawParams[],
  at: Date,
): Promise<DrawnRow[]> {
  return sql<DrawnRow[]>`
    with held as materialized (
      select d.account_id, d.mode, d.kind, d.quota, d.wanted,
        greatest(
          ${at}::timestamptz,
          least(b.full_at, ${at}::timestamptz + interval '1 minute')
            - d.returned_ms * interval '1 millisecond'
        ) as full_at
      from jsonb_to_recordset(${jsonRecords(sql, draws)}) as d
        (account_id text, mode text, kind text, quota integer, wanted integer, returned_ms double precision)
      join gateway.rate_limits b using (account_id, mode, kind)
      order by account_id, mode, kind
      for update of b
    ), granted as (
      select account_id, mode, kind, quota, full_at, least(
          wanted,
          floor((60.00005 - extract(epoch from full_at - ${at}::timestamptz)) * quota / 60)
        )::integer as granted
      from held
    )
    update gateway.rate_limits as b
    set full_at = g.full_at + g.granted * interval '1 minute' / g.quota
    from granted as g
    where (b.account_id, b.mode, b.kind) = (g.account_id, g.mode, g.kind)
    returning b.account_id, b.mode, b.kind, g.granted, b.full_at`;
}

/** Creates the buckets that do not exist, full. */
export async function insertMissingBuckets(
  sql: Db,
  buckets: readonly Pick<DrawParams, "accountId" | "mode" | "kind">[],
  at: Date,
): Promise<void> {
  await sql`
    insert into gateway.rate_limits (account_id, mode, kind, full_at)
    select account_id, mode, kind, ${at}
    from jsonb_to_recordset(${jsonRecords(sql, buckets)}) as b
      (account_id text, mode text, kind text)
    order by account_id, mode, kind
    on conflict (account_id, mode, kind) do nothing`;
}
