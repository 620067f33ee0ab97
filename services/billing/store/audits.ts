/** Recomputes an account's balance from its entries and holds. */
import type { Sql } from "#runtime/postgres/connect.ts";
import { allowMuch } from "#runtime/postgres/limits.ts";
import type { Owner } from "./balances.ts";

export type Difference = { what: string; expected: string; found: string };

/** The time for the statement: a little less than callers wait, so that they get its error. */
const AUDIT_MS = 55_000;

/** The cost grows with the number of entries of the account. */
export function auditAccount(sql: Sql, { accountId, mode }: Owner) {
  return sql.begin("read only", async (tx) => {
    await allowMuch(tx, AUDIT_MS);
    // One statement, so one snapshot.
    const [row] = await tx<[{ entries: bigint; differences: Difference[] }]>`
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
      ), summed as (
        select count(*) as entries, coalesce(sum(available_change), 0) as available,
          coalesce(sum(reserved_change), 0) as reserved, coalesce(sum(spent_change), 0) as spent,
          coalesce(sum(issued_change), 0) as issued
        from entry
      ), unresolved as (
        select count(*) as holds, coalesce(sum(tokens), 0) as tokens from hold where state = 'held'
      )
      select s.entries, coalesce(json_agg(json_build_object('what', what, 'expected', expected, 'found', found)
        order by place) filter (where expected <> found), '[]') as differences
      from summed s cross join unresolved u
      left join billing.balances b on b.account_id = ${accountId} and b.mode = ${mode}
      cross join lateral (values
        (1, 'available of the balance', s.available::text, coalesce(b.available, 0)::text),
        (2, 'reserved of the balance', s.reserved::text, coalesce(b.reserved, 0)::text),
        (3, 'spent of the balance', s.spent::text, coalesce(b.spent, 0)::text),
        (4, 'issued of the balance', s.issued::text, coalesce(b.issued, 0)::text),
        (5, 'reserved by open holds', u.tokens::text, s.reserved::text),
        (6, 'open holds of the balance', u.holds::text, coalesce(b.open_holds, 0)::text),
        (7, 'entry whose available_after is not the running sum', 'null',
          coalesce((select min(id) from entry where running <> available_after), 'null')),
        (8, 'holds whose entries do not fit their state', '', (
          select coalesce(string_agg(generation_id || '/' || attempt, ' '), '')
          from hold full join entered using (generation_id, attempt)
          where types is distinct from case state when 'held' then 'reserve' when 'captured' then 'capture,reserve'
            when 'released' then 'release,reserve' end
            or captured <> spent)),
        (9, 'limits whose use is not that of their holds', '', (
          select coalesce(string_agg(concat_ws('/', counted_for, period, starts_on), ' '), '')
          from billing.limit_usage used left join held_in_limit h using (counted_for, period, starts_on)
          where account_id = ${accountId} and ${mode} = 'live' and used.tokens <> coalesce(h.tokens, 0)))
      ) compared (place, what, expected, found)
      group by s.entries`;
    return row;
  });
}
