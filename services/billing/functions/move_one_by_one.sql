-- Decides and writes the moves one by one, in order. The caller holds the lock of `p_balance`.
create or replace function billing.move_one_by_one(p_balance billing.balances, p_kinds text[], p_generations text[],
  p_attempts integer[], p_tokens bigint[], p_entries text[], p_max_open integer[], p_at timestamptz)
returns table (ordinal bigint, outcome text, tokens bigint, available bigint, reserved bigint)
language plpgsql as $$
declare
  balance billing.balances := p_balance;
  hold billing.holds;
  move record;
begin
  for move in
    select m.kind, m.generation_id, m.attempt, m.tokens, m.entry_id, m.max_open_holds, m.ordinal
    from unnest(p_kinds, p_generations, p_attempts, p_tokens, p_entries, p_max_open) with ordinality
      as m (kind, generation_id, attempt, tokens, entry_id, max_open_holds, ordinal)
  loop
    ordinal := move.ordinal;
    tokens := move.tokens;
    outcome := 'ok';
    select h.* into hold from billing.holds h
      where h.account_id = balance.account_id and h.mode = balance.mode
        and h.generation_id = move.generation_id and h.attempt = move.attempt;

    if move.kind = 'reserve' and found then
      if hold.state = 'released' then
        outcome := 'resolved';
      elsif hold.tokens <> move.tokens then
        outcome := 'differs';
      end if;
      tokens := hold.tokens;
    elsif move.kind = 'reserve' then
      if move.max_open_holds > 0 and balance.open_holds >= move.max_open_holds then
        outcome := 'too_many';
      elsif balance.available < move.tokens then
        outcome := 'insufficient';
      end if;
      if outcome <> 'ok' then
        -- A duplicate of this call that comes late, when Tokens may be there, must not hold what nobody asks for.
        insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at, resolved_at)
          values (balance.account_id, balance.mode, move.generation_id, move.attempt, 0, 'released', p_at, p_at);
      else
        balance.available := balance.available - move.tokens;
        balance.reserved := balance.reserved + move.tokens;
        balance.open_holds := balance.open_holds + 1;
        insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
          values (balance.account_id, balance.mode, move.generation_id, move.attempt, move.tokens, 'held', p_at);
        perform billing.append_entry(balance.account_id, balance.mode, move.entry_id, 'reserve',
          move.generation_id, move.attempt, -move.tokens, move.tokens, 0, balance.available, p_at);
      end if;
    elsif move.kind = 'capture' and not found then
      outcome := 'missing';
    elsif move.kind = 'release' and not found then
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at, resolved_at)
        values (balance.account_id, balance.mode, move.generation_id, move.attempt, 0, 'released', p_at, p_at);
    elsif hold.state = 'held' then
      tokens := hold.tokens;
      balance.reserved := balance.reserved - hold.tokens;
      balance.open_holds := balance.open_holds - 1;
      if move.kind = 'capture' then
        balance.spent := balance.spent + hold.tokens;
        perform billing.append_entry(balance.account_id, balance.mode, move.entry_id, 'capture',
          move.generation_id, move.attempt, 0, -hold.tokens, hold.tokens, balance.available, p_at);
      else
        balance.available := balance.available + hold.tokens;
        perform billing.append_entry(balance.account_id, balance.mode, move.entry_id, 'release',
          move.generation_id, move.attempt, hold.tokens, -hold.tokens, 0, balance.available, p_at);
      end if;
      update billing.holds h
        set state = case move.kind when 'capture' then 'captured' else 'released' end, resolved_at = p_at
        where h.account_id = balance.account_id and h.mode = balance.mode
          and h.generation_id = move.generation_id and h.attempt = move.attempt and h.state = 'held';
    else
      tokens := hold.tokens;
      if (move.kind = 'capture') <> (hold.state = 'captured') then
        outcome := 'resolved';
      end if;
    end if;

    available := balance.available;
    reserved := balance.reserved;
    return next;
  end loop;
  update billing.balances b
    set available = balance.available, reserved = balance.reserved, spent = balance.spent,
      open_holds = balance.open_holds
    where b.account_id = balance.account_id and b.mode = balance.mode;
end $$;

revoke all on function billing.move_one_by_one from public;
