/** Tokens and counts of an account's successful generations, by day and model. */
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";

export type UsageRow = { date: string; model: string; tokens: bigint; generations: bigint };

/** Counts those completed from `from` (inclusive) to `to` (exclusive); days are UTC. Read from an index alone. */
export function usageByDay(
  sql: Db,
  accountId: string,
  mode: ModeName,
  from: Date,
  to: Date,
): Promise<UsageRow[]> {
  return sql<UsageRow[]>`
    select to_char(completed_at at time zone 'UTC', 'YYYY-MM-DD') as date, model,
      sum(tokens)::bigint as tokens, count(*) as generations
    from generation.generations
    where account_id = ${accountId} and mode = ${mode} and status = 'success'
      and completed_at >= ${from} and completed_at < ${to}
    group by 1, 2
    order by 1, 2`;
}
