-- Moves Tokens of many balances, with one outcome a move; the moves of one balance are decided one by one, in order, and
-- what they change is written together at the end: each statement reads the constraints of its table anew. A call is one
-- transaction. It locks the balances in the order of their names before it reads them, so that calls never wait for each
-- other in a circle. `reserved_at` is when the hold was made, by whichever call.
-- `p_row_server`: the start of the server that all callers write to next, 0 or null if one does not.
-- Databases that 1.0.0 has served also have billing.append_entry, which calls of its move_holds may be about to make.
drop function if exists billing.move_holds(text[], text[], text[], text[], integer[], bigint[], text[], integer[], text[],
  text[], timestamptz);
drop function if exists billing.move_holds(text[], text[], text[], text[], integer[], bigint[], text[], integer[], text[],
  text[], timestamptz, bigint);
create function billing.move_holds(p_accounts text[], p_modes text[], p_kinds text[], p_generations text[],
  p_attempts integer[], p_tokens bigint[], p_entries text[], p_max_open integer[], p_keys text[],
  p_end_users text[], p_at timestamptz, p_row_server bigint default null)
returns table (ordinal bigint, outcome text, tokens bigint, available bigint, reserved bigint, refused_by jsonb,
  reserved_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  balance billing.balances;
  hold billing.holds;
  move record;
  charged bigint;
  entry billing.entries;
  new_holds billing.holds[] := '{}';
  new_entries billing.entries[] := '{}';
  -- What became of each balance, null where nothing moved, and its last entry.
  new_balances billing.balances[] := '{}';
  last_entries text[] := '{}';
  place integer := 0;
begin
  if p_row_server = (extract(epoch from greatest(pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time()))
    * 1000000)::bigint then
    -- The callers' commits follow in the same log and wait for the disk.
    perform set_config('synchronous_commit', 'off', true);
  end if;
  perform billing.lock_balance(named.account_id, named.mode, p_at)
    from (select distinct * from unnest(p_accounts, p_modes) m (account_id, mode) order by account_id, mode) named;
  for move in
    select m.*, row(b.*)::billing.balances as balance, h as hold,
      array_position(p_generations, m.generation_id) < m.ordinal as is_repeated
    from unnest(p_accounts, p_modes, p_kinds, p_generations, p_attempts, p_tokens, p_entries, p_max_open, p_keys,
      p_end_users)
      with ordinality
      m (account_id, mode, kind, generation_id, attempt, tokens, entry_id, max_open_holds, key_id, end_user,
        ordinal)
    -- Apart: joined, all balances may be read for a plan that was made while there were few.
    cross join lateral (
      select b.* from billing.balances b where b.account_id = m.account_id and b.mode = m.mode offset 0) b
    left join billing.holds h on h.account_id = m.account_id and h.mode = m.mode
      and h.generation_id = m.generation_id and h.attempt = m.attempt
    order by m.account_id, m.mode, m.ordinal
  loop
    if (balance.account_id, balance.mode) is distinct from (move.account_id, move.mode) then
      balance := move.balance;
      place := place + 1;
    end if;
    ordinal := move.ordinal;
    tokens := move.tokens;
    outcome := 'ok';
    refused_by := null;
    reserved_at := null;
    entry := null;
    hold := move.hold;
    if move.is_repeated then
      -- An earlier move of this call may have changed it.
      perform billing.write_holds(new_holds);
      new_holds := '{}';
      select h.* into hold from billing.holds h
        where h.account_id = balance.account_id and h.mode = balance.mode
          and h.generation_id = move.generation_id and h.attempt = move.attempt;
    end if;

    if move.kind = 'reserve' and hold.state is not null then
      if hold.state in ('released', 'refused') then
        outcome := 'resolved';
      elsif hold.tokens <> move.tokens or hold.key_id is distinct from move.key_id
        or hold.end_user is distinct from move.end_user then
        outcome := 'differs';
      end if;
      tokens := hold.tokens;
      reserved_at := hold.created_at;
    elsif move.kind = 'reserve' then
      if move.max_open_holds > 0 and balance.open_holds >= move.max_open_holds then
        outcome := 'too_many';
      elsif balance.available < move.tokens then
        outcome := 'insufficient';
      elsif balance.has_limits then
        refused_by := billing.count_in_limits(balance.account_id, move.key_id, move.end_user, move.tokens,
          move.entry_id, p_at);
        if refused_by is not null then
          outcome := 'over_limit';
        end if;
      end if;
      if outcome = 'ok' then
        reserved_at := p_at;
        balance.available := balance.available - move.tokens;
        balance.reserved := balance.reserved + move.tokens;
        balance.open_holds := balance.open_holds + 1;
        hold := row(balance.account_id, balance.mode, move.generation_id, move.attempt, move.key_id, move.end_user,
          move.tokens, null, 'held', p_at)::billing.holds;
        new_holds := new_holds || hold;
        entry.available_change := -move.tokens;
        entry.reserved_change := move.tokens;
        entry.spent_change := 0;
      end if;
    elsif hold.state is null then
      -- Nothing is left to be released.
      outcome := case move.kind when 'capture' then 'missing' else 'ok' end;
      tokens := 0;
    elsif move.kind = 'capture' and hold.state = 'held' and move.tokens > hold.tokens then
      outcome := 'differs';
      tokens := hold.tokens;
    elsif hold.state = 'held' then
      charged := case move.kind when 'capture' then coalesce(move.tokens, hold.tokens) else 0 end;
      tokens := case move.kind when 'capture' then charged else hold.tokens end;
      balance.reserved := balance.reserved - hold.tokens;
      balance.open_holds := balance.open_holds - 1;
      balance.spent := balance.spent + charged;
      balance.available := balance.available + hold.tokens - charged;
      entry.available_change := hold.tokens - charged;
      entry.reserved_change := -hold.tokens;
      entry.spent_change := charged;
      if balance.has_limits and charged < hold.tokens then
        -- Off the periods in which they were reserved. A counter never keeps Tokens from being restored: it stops at 0.
        update billing.limit_usage u set tokens = greatest(0, u.tokens - (hold.tokens - charged))
          from (values ('day'), ('month')) counted (period)
          where u.account_id = hold.account_id and u.counted_for in ('', hold.key_id, hold.end_user)
            and u.period = counted.period
            and u.starts_on = date_trunc(counted.period, hold.created_at at time zone 'UTC')::date;
      end if;
      hold.state := case move.kind when 'capture' then 'captured' else 'released' end;
      hold.captured := case move.kind when 'capture' then charged end;
      new_holds := new_holds || hold;
    else
      tokens := coalesce(hold.captured, hold.tokens);
      if (move.kind = 'capture') <> (hold.state = 'captured') then
        outcome := 'resolved';
      elsif move.kind = 'capture' and move.tokens <> hold.captured then
        outcome := 'differs';
      end if;
    end if;

    available := balance.available;
    reserved := balance.reserved;
    return next;

    if entry.available_change is not null then
      entry.account_id := balance.account_id;
      entry.mode := balance.mode;
      entry.id := move.entry_id;
      entry.type := move.kind;
      entry.generation_id := move.generation_id;
      entry.attempt := move.attempt;
      entry.available_after := balance.available;
      new_entries := new_entries || entry;
      new_balances[place] := balance;
      last_entries[place] := move.entry_id;
    end if;
  end loop;

  perform billing.write_holds(new_holds);
  insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change, reserved_change,
      spent_change, issued_change, available_after, created_at)
    select e.account_id, e.mode, e.id, e.type, e.generation_id, e.attempt, e.available_change, e.reserved_change,
      e.spent_change, 0, e.available_after, p_at
    from unnest(new_entries) with ordinality e
    order by e.ordinality;
  update billing.balances b
    set available = n.available, reserved = n.reserved, spent = n.spent, open_holds = n.open_holds
    from unnest(new_balances) n
    where b.account_id = n.account_id and b.mode = n.mode;
  -- Those of the balances that did not move are null, and absent before the first and after the last that did.
  for place in 1 .. coalesce(array_upper(new_balances, 1), 0) loop
    if (new_balances[place]).low_below is not null then
      perform billing.watch_balance(new_balances[place], last_entries[place], p_at);
    end if;
  end loop;
end $$;

grant execute on function billing.move_holds to media_billing;

-- Writes holds that move_holds has made, or resolved.
create or replace function billing.write_holds(p_holds billing.holds[])
returns void language plpgsql as $$
begin
  insert into billing.holds as h
    select * from unnest(p_holds)
    on conflict (account_id, mode, generation_id, attempt)
    do update set state = excluded.state, captured = excluded.captured where h.state = 'held';
end $$;
