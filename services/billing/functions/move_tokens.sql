-- Moves Tokens of one balance, in order, with one outcome a move. A call is one transaction, and the row lock of the
-- balance makes the calls of one balance wait for each other.
-- A batch of reserves that are all new and covered, which is what a busy account sends, is decided and written as a
-- whole, several times as fast as one by one (`npm run bench -- ledger` measures it). Arrays cost a third of what the
-- same in JSON costs. Writing the holds shows whether they are new: an insert is cheaper than a look-up before it.
create or replace function billing.move_tokens(p_account text, p_mode text, p_kinds text[], p_generations text[],
  p_attempts integer[], p_tokens bigint[], p_entries text[], p_max_open integer[], p_at timestamptz)
returns table (ordinal bigint, outcome text, tokens bigint, available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  balance billing.balances := billing.lock_balance(p_account, p_mode, p_at);
  batch record;
begin
  select count(*) as moves, bool_and(m.kind = 'reserve') as are_reserves, sum(m.tokens)::bigint as tokens,
      min(nullif(m.max_open, 0)) as max_open
    into batch
    from unnest(p_kinds, p_tokens, p_max_open) m (kind, tokens, max_open);
  if batch.are_reserves and batch.tokens <= balance.available
      and balance.open_holds + batch.moves <= coalesce(batch.max_open, 2147483647) then
    begin
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
        select p_account, p_mode, m.generation_id, m.attempt, m.tokens, 'held', p_at
        from unnest(p_generations, p_attempts, p_tokens) m (generation_id, attempt, tokens);
      insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
          reserved_change, spent_change, issued_change, available_after, created_at)
        select p_account, p_mode, m.entry_id, 'reserve', m.generation_id, m.attempt, -m.tokens,
          m.tokens, 0, 0, balance.available - sum(m.tokens) over (order by m.ordinal), p_at
        from unnest(p_generations, p_attempts, p_tokens, p_entries) with ordinality
          as m (generation_id, attempt, tokens, entry_id, ordinal)
        order by m.ordinal;
      update billing.balances b
        set available = b.available - batch.tokens, reserved = b.reserved + batch.tokens,
          open_holds = b.open_holds + batch.moves
        where b.account_id = p_account and b.mode = p_mode;
      return query
        select m.ordinal, 'ok', m.tokens, balance.available - sum(m.tokens) over (order by m.ordinal)::bigint,
          balance.reserved + sum(m.tokens) over (order by m.ordinal)::bigint
        from unnest(p_tokens) with ordinality as m (tokens, ordinal);
      return;
    exception when unique_violation then
      -- A hold exists already or is named twice. The exception has undone the block; the moves are made one by one.
    end;
  end if;
  return query
    select m.ordinal, m.outcome, m.tokens, m.available, m.reserved
    from billing.move_one_by_one(balance, p_kinds, p_generations, p_attempts, p_tokens, p_entries, p_max_open, p_at) m;
end $$;

revoke all on function billing.move_tokens from public;
grant execute on function billing.move_tokens to media_billing;
