-- Moves Tokens of many balances, with one outcome a move; the moves of one balance are made in order. A call is one
-- transaction. It locks the balances in the order of their names, so that calls never wait for each other in a circle.
-- The balances whose moves are all reserves that are new and covered, which is what busy accounts send, are decided and
-- written as a whole, several times as fast as move by move (`npm run bench -- ledger` measures it). Arrays cost a third
-- of what the same in JSON costs. Writing the holds shows whether they are new: an insert is cheaper than a look-up
-- before it.
create or replace function billing.move_holds(p_accounts text[], p_modes text[], p_kinds text[], p_generations text[],
  p_attempts integer[], p_tokens bigint[], p_entries text[], p_max_open integer[], p_at timestamptz)
returns table (ordinal bigint, outcome text, tokens bigint, available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  balances billing.balances[] := array(
    select billing.lock_balance(named.account_id, named.mode, p_at)
    from (select distinct m.account_id, m.mode from unnest(p_accounts, p_modes) m (account_id, mode)
      order by m.account_id, m.mode) named);
  covered billing.balances[] := '{}';
  balance billing.balances;
begin
  if cardinality(p_kinds) > 1 then
    covered := array(
      select b
      from unnest(balances) b
      join (
        select m.account_id, m.mode, count(*) as moves, bool_and(m.kind = 'reserve') as are_reserves,
          sum(m.tokens) as tokens, min(nullif(m.max_open, 0)) as max_open
        from unnest(p_accounts, p_modes, p_kinds, p_tokens, p_max_open) m (account_id, mode, kind, tokens, max_open)
        group by m.account_id, m.mode
      ) batch using (account_id, mode)
      where batch.are_reserves and batch.tokens <= b.available
        and b.open_holds + batch.moves <= coalesce(batch.max_open, 2147483647));
    begin
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
        select b.account_id, b.mode, m.generation_id, m.attempt, m.tokens, 'held', p_at
        from unnest(p_accounts, p_modes, p_generations, p_attempts, p_tokens)
          m (account_id, mode, generation_id, attempt, tokens)
        join unnest(covered) b using (account_id, mode);
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
          reserved_change, spent_change, issued_change, available_after, created_at)
        select b.account_id, b.mode, m.entry_id, 'reserve', m.generation_id, m.attempt, -m.tokens,
          m.tokens, 0, 0, b.available - sum(m.tokens) over (partition by b.account_id, b.mode order by m.ordinal), p_at
        from unnest(p_accounts, p_modes, p_generations, p_attempts, p_tokens, p_entries) with ordinality
          m (account_id, mode, generation_id, attempt, tokens, entry_id, ordinal)
        join unnest(covered) b using (account_id, mode)
        order by m.ordinal;
      update billing.balances b
        set available = b.available - batch.tokens, reserved = b.reserved + batch.tokens,
          open_holds = b.open_holds + batch.moves
        from (
          select m.account_id, m.mode, sum(m.tokens)::bigint as tokens, count(*) as moves
          from unnest(p_accounts, p_modes, p_tokens) m (account_id, mode, tokens)
          join unnest(covered) c using (account_id, mode)
          group by m.account_id, m.mode
        ) batch
        where b.account_id = batch.account_id and b.mode = batch.mode;
      return query
        select m.ordinal, 'ok', m.tokens,
          b.available - sum(m.tokens) over (partition by b.account_id, b.mode order by m.ordinal)::bigint,
          b.reserved + sum(m.tokens) over (partition by b.account_id, b.mode order by m.ordinal)::bigint
        from unnest(p_accounts, p_modes, p_tokens) with ordinality m (account_id, mode, tokens, ordinal)
        join unnest(covered) b using (account_id, mode);
    exception when unique_violation then
      -- A hold exists already or is named twice. The exception has undone the block; the moves are made one by one.
      covered := '{}';
    end;
  end if;
  foreach balance in array balances loop
    continue when balance = any (covered);
    return query
      select batch.ordinals[m.ordinal], m.outcome, m.tokens, m.available, m.reserved
      from (
        select array_agg(one.ordinal order by one.ordinal) as ordinals,
          array_agg(one.kind order by one.ordinal) as kinds,
          array_agg(one.generation_id order by one.ordinal) as generations,
          array_agg(one.attempt order by one.ordinal) as attempts,
          array_agg(one.tokens order by one.ordinal) as tokens,
          array_agg(one.entry_id order by one.ordinal) as entries,
          array_agg(one.max_open order by one.ordinal) as max_open
        from unnest(p_accounts, p_modes, p_kinds, p_generations, p_attempts, p_tokens, p_entries, p_max_open)
          with ordinality
          one (account_id, mode, kind, generation_id, attempt, tokens, entry_id, max_open, ordinal)
        where one.account_id = balance.account_id and one.mode = balance.mode
      ) batch
      cross join lateral billing.move_one_by_one(balance, batch.kinds, batch.generations, batch.attempts,
        batch.tokens, batch.entries, batch.max_open, p_at) m;
  end loop;
end $$;

revoke all on function billing.move_holds from public;
grant execute on function billing.move_holds to media_billing;
