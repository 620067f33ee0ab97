-- migrate:up

-- How many holds of the account and mode are open. The lock that this takes keeps all moves out until the end.
alter table billing.balances add column open_holds integer not null default 0 check (open_holds >= 0);

update billing.balances b set open_holds = held.holds
  from (
    select account_id, mode, count(*) as holds from billing.holds where state = 'held' group by account_id, mode
  ) held
  where b.account_id = held.account_id and b.mode = held.mode;

-- Lists, newest first; for those of one generation the unique constraint that begins with it serves.
create index entries_listed_by_type on billing.entries (account_id, mode, type, sequence);

-- The new name is on purpose: a call that waits for the lock above with the old body of move_tokens, which does not
-- count, fails at its first entry and is made again by its caller.
alter function billing.write_entry rename to append_entry;

-- Moves Tokens of one balance, in order, one verdict a move. Everything of the call is one transaction, and the
-- row lock of the balance puts the calls of one balance in a line. `open_holds` goes with each hold's state, so that
-- the limit of open holds is a comparison, not a count.
create or replace function billing.move_tokens(p_account text, p_mode text, p_moves jsonb, p_at timestamptz)
returns table (ordinal bigint, verdict text, tokens bigint, available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  balance billing.balances;
  hold billing.holds;
  move record;
begin
  balance := billing.lock_balance(p_account, p_mode, p_at);
  for move in
    select * from rows from (jsonb_to_recordset(p_moves)
      as (kind text, generation_id text, attempt integer, tokens bigint, entry_id text, max_open_holds integer))
      with ordinality as m (kind, generation_id, attempt, tokens, entry_id, max_open_holds, place)
  loop
    ordinal := move.place;
    tokens := coalesce(move.tokens, 0);
    verdict := 'ok';
    select * into hold from billing.holds h
      where h.account_id = p_account and h.mode = p_mode
        and h.generation_id = move.generation_id and h.attempt = move.attempt;

    if move.kind = 'reserve' and found then
      if hold.state = 'released' then
        verdict := 'resolved';
      elsif hold.tokens <> move.tokens then
        verdict := 'differs';
      end if;
      tokens := hold.tokens;
    elsif move.kind = 'reserve' then
      if move.max_open_holds > 0 and balance.open_holds >= move.max_open_holds then
        verdict := 'too_many';
      elsif balance.available < move.tokens then
        verdict := 'insufficient';
      else
        balance.available := balance.available - move.tokens;
        balance.reserved := balance.reserved + move.tokens;
        balance.open_holds := balance.open_holds + 1;
        insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
          values (p_account, p_mode, move.generation_id, move.attempt, move.tokens, 'held', p_at);
        perform billing.append_entry(p_account, p_mode, move.entry_id, 'reserve', move.generation_id,
          move.attempt, -move.tokens, move.tokens, 0, balance.available, p_at);
      end if;
    elsif move.kind = 'capture' and not found then
      verdict := 'missing';
    elsif move.kind = 'release' and not found then
      insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at, resolved_at)
        values (p_account, p_mode, move.generation_id, move.attempt, 0, 'released', p_at, p_at);
    elsif hold.state = 'held' then
      tokens := hold.tokens;
      balance.reserved := balance.reserved - hold.tokens;
      balance.open_holds := balance.open_holds - 1;
      if move.kind = 'capture' then
        balance.spent := balance.spent + hold.tokens;
        perform billing.append_entry(p_account, p_mode, move.entry_id, 'capture', move.generation_id,
          move.attempt, 0, -hold.tokens, hold.tokens, balance.available, p_at);
      else
        balance.available := balance.available + hold.tokens;
        perform billing.append_entry(p_account, p_mode, move.entry_id, 'release', move.generation_id,
          move.attempt, hold.tokens, -hold.tokens, 0, balance.available, p_at);
      end if;
      update billing.holds h
        set state = case move.kind when 'capture' then 'captured' else 'released' end, resolved_at = p_at
        where h.account_id = p_account and h.mode = p_mode
          and h.generation_id = move.generation_id and h.attempt = move.attempt and h.state = 'held';
    else
      tokens := hold.tokens;
      if (move.kind = 'capture') <> (hold.state = 'captured') then
        verdict := 'resolved';
      end if;
    end if;

    available := balance.available;
    reserved := balance.reserved;
    return next;
  end loop;
  update billing.balances b
    set available = balance.available, reserved = balance.reserved, spent = balance.spent,
      open_holds = balance.open_holds
    where b.account_id = p_account and b.mode = p_mode;
end $$;

-- migrate:down
