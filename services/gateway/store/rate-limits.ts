/** The token buckets that all replicas share. One holds a minute's quota and refills evenly. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ModeName } from "#vocabulary/names.ts";

export type RateBucket = {
  accountId: string;
  mode: ModeName;
  kind: "creates" | "reads";
  /** A minute's quota, at least 1. */
  quota: number;
};

export type TakeLease = ReturnType<typeof takeRateLease>;

/**
 * Grants as many of the wanted requests as the bucket holds as of `at`. Its state is when it will be full again, which a
 * request moves forward by its share of a minute. What Postgres loses by rounding to microseconds costs no request.
 */
export function takeRateLease(sql: Db) {
  return async (bucket: RateBucket, wanted: number, at: Date) => {
    const { accountId, mode, kind, quota } = bucket;
    const draw = () => sql<{ granted: number; fullAt: Date }[]>`
      with held as materialized (
        select greatest(${at}, least(full_at, ${at}::timestamptz + interval '1 minute')) as full_at
        from gateway.rate_limits
        where (account_id, mode, kind) = (${accountId}, ${mode}, ${kind})
        for update
      ), granted as (
        select full_at, least(
          ${wanted}::integer,
          floor((60.00005 - extract(epoch from full_at - ${at}::timestamptz)) * ${quota}::integer / 60)
        )::integer as granted
        from held
      )
      update gateway.rate_limits as b
      set full_at = g.full_at + g.granted * interval '1 minute' / ${quota}::integer
      from granted as g
      where (account_id, mode, kind) = (${accountId}, ${mode}, ${kind})
      returning g.granted, b.full_at`;
    let [lease] = await draw();
    if (!lease) {
      await sql`
        insert into gateway.rate_limits (account_id, mode, kind, full_at)
        values (${accountId}, ${mode}, ${kind}, ${at}) on conflict (account_id, mode, kind) do nothing`;
      [lease] = await draw();
    }
    if (!lease) throw new Error("a rate limit's bucket does not exist and could not be created");
    return lease;
  };
}
