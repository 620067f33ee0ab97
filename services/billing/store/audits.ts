/** Recomputes an account's balance from its entries and holds. */
import type { Sql, Transaction } from "#runtime/postgres/connect.ts";
import { allowMuch } from "#runtime/postgres/limits.ts";
import type { ModeName } from "#vocabulary/names.ts";

export type Difference = { what: string; expected: string; found: string };

type Sums = { available: bigint; reserved: bigint; spent: bigint; issued: bigint };

const BUCKETS = ["available", "reserved", "spent", "issued"] as const;

type Found = {
  balance: Sums | null;
  summed: Sums;
  entries: bigint;
  held: bigint;
  openHolds: number | null;
  heldHolds: bigint;
  brokenChain: string | null;
  unmatched: string[];
  miscounted: string[];
};

/** The time for the statement: a little less than callers wait, so that they get its error. */
export const AUDIT_MS = 55_000;

/** The cost grows with the number of entries of the account. */
export async function auditAccount(
  sql: Sql,
  accountId: string,
  mode: ModeName,
): Promise<{ entries: bigint; differences: Difference[] }> {
  const row = await sql.begin("read only", async (tx) => {
    await allowMuch(tx, AUDIT_MS);
    return readSums(tx, accountId, mode);
  });
  const differences: Difference[] = [];
  const compare = (what: string, expected: unknown, found: unknown) => {
    if (String(expected) === String(found)) return;
    differences.push({ what, expected: String(expected), found: String(found) });
  };
  for (const bucket of BUCKETS) {
    compare(`${bucket} of the balance`, row.summed[bucket], row.balance?.[bucket] ?? 0n);
  }
  compare("reserved by open holds", row.held, row.summed.reserved);
  compare("open holds of the balance", row.heldHolds, row.openHolds ?? 0);
  compare("entry whose available_after is not the running sum", null, row.brokenChain);
  compare("holds whose entries do not fit their state", "", row.unmatched.join(" "));
  compare("limits whose use is not that of their holds", "", row.miscounted.join(" "));
  return { entries: row.entries, differences };
}

/** One statement, so one snapshot. */
async function readSums(tx: Transaction, accountId: string, mode: ModeName): Promise<Found> {
  const [row] = await tx<Found[]>`
    with entry as (
      select id, type, generation_id, attempt, available_change, reserved_change, spent_change, issued_change,
        available_after, sum(available_change) over (order by sequence) as running
      from billing.entries where account_id = ${accountId} and mode = ${mode}
    ), hold as (
      select generation_id, attempt, tokens, captured, state from billing.holds
      where account_id = ${accountId} and mode = ${mode}
    ), entered as (
      select generation_id, attempt, string_agg(type, ',' order by type) as types,
        sum(spent_change) as spent
      from entry where generation_id is not null group by generation_id, attempt
    ), held_by_day as (
      select key_id, end_user, date_trunc('day', created_at at time zone 'UTC') as day,
        sum(coalesce(captured, tokens)) as tokens
      from billing.holds
      where account_id = ${accountId} and mode = 'live' and state in ('held', 'captured') and ${mode} = 'live'
      group by 1, 2, 3
    ), held_in_limit as (
      select counted.counted_for, period, date_trunc(period, day)::date as starts_on, sum(tokens) as tokens
      from held_by_day h
      cross join unnest(array['', h.key_id, h.end_user]) counted (counted_for)
      cross join (select distinct period from billing.limit_usage where account_id = ${accountId}) one
      group by 1, 2, 3
    )
    select
      (select json_build_object('available', available::text, 'reserved', reserved::text, 'spent', spent::text,
          'issued', issued::text)
        from billing.balances where account_id = ${accountId} and mode = ${mode}) as balance,
      (select json_build_object('available', coalesce(sum(available_change), 0)::text,
          'reserved', coalesce(sum(reserved_change), 0)::text, 'spent', coalesce(sum(spent_change), 0)::text,
          'issued', coalesce(sum(issued_change), 0)::text) from entry) as summed,
      (select open_holds from billing.balances where account_id = ${accountId} and mode = ${mode}) as open_holds,
      (select count(*) from hold where state = 'held') as held_holds,
      (select count(*) from entry) as entries,
      (select coalesce(sum(tokens), 0)::bigint from hold where state = 'held') as held,
      (select min(id) from entry where running <> available_after) as broken_chain,
      (select coalesce(array_agg(generation_id || '/' || attempt), '{}')
        from hold full join entered using (generation_id, attempt)
        where types is distinct from case state when 'held' then 'reserve' when 'captured' then 'capture,reserve'
          when 'released' then 'release,reserve' end
          or captured <> spent) as unmatched,
      (select coalesce(array_agg(concat_ws('/', u.counted_for, u.period, u.starts_on)), '{}')
        from billing.limit_usage u left join held_in_limit h using (counted_for, period, starts_on)
        where u.account_id = ${accountId} and ${mode} = 'live'
          and u.tokens <> coalesce(h.tokens, 0)) as miscounted`;
  if (!row) throw new Error("the audit query returns one row");
  return row;
}
