-- Moves Tokens of many balances, with one outcome a move; the moves of one balance are decided one by one, in order, and
-- their entries are written together at the end. A call is one transaction. It locks the balances in the order of their
-- names, so that calls never wait for each other in a circle. `reserved_at` is when the hold was made, by whichever call.
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
  -- One insert of all costs half as much as one of each.
  new_entries billing.entries[] := '{}';
begin
  if p_row_server = (extract(epoch from pg_postmaster_start_time()) * 1000000)::bigint then
    -- The callers' commits follow in the same log and wait for the disk.
    perform set_config('synchronous_commit', 'off', true);
  end if;
  for move in
    select m.*, row_number() over of_balance as nth, count(*) over (partition by m.account_id, m.mode) as moves
    from unnest(p_accounts, p_modes, p_kinds, p_generations, p_attempts, p_tokens, p_entries, p_max_open, p_keys,
      p_end_users)
      with ordinality
      m (account_id, mode, kind, generation_id, attempt, tokens, entry_id, max_open_holds, key_id, end_user,
        ordinal)
    window of_balance as (partition by m.account_id, m.mode order by m.ordinal)
    order by m.account_id, m.mode, m.ordinal
  loop
    if move.nth = 1 then
      balance := billing.lock_balance(move.account_id, move.mode, p_at);
    end if;
    ordinal := move.ordinal;
    tokens := move.tokens;
    outcome := 'ok';
    refused_by := null;
    reserved_at := null;
    entry := null;
    select h.* into hold from billing.holds h
      where h.account_id = balance.account_id and h.mode = balance.mode
        and h.generation_id = move.generation_id and h.attempt = move.attempt;

    if move.kind = 'reserve' and found then
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
        insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at, key_id,
            end_user)
          values (balance.account_id, balance.mode, move.generation_id, move.attempt, move.tokens, 'held', p_at,
            move.key_id, move.end_user);
        entry.available_change := -move.tokens;
        entry.reserved_change := move.tokens;
        entry.spent_change := 0;
      end if;
    elsif not found then
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
      update billing.holds h
        set state = case move.kind when 'capture' then 'captured' else 'released' end,
          captured = case move.kind when 'capture' then charged end
        where h.account_id = balance.account_id and h.mode = balance.mode
          and h.generation_id = move.generation_id and h.attempt = move.attempt and h.state = 'held';
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
    end if;

    if move.nth = move.moves then
      update billing.balances b
        set available = balance.available, reserved = balance.reserved, spent = balance.spent,
          open_holds = balance.open_holds
        where b.account_id = balance.account_id and b.mode = balance.mode
          and (b.available, b.reserved, b.open_holds)
            is distinct from (balance.available, balance.reserved, balance.open_holds);
      if balance.low_below is not null then
        perform billing.watch_balance(balance, move.entry_id, p_at);
      end if;
    end if;
  end loop;

  insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change, reserved_change,
      spent_change, issued_change, available_after, created_at)
    select e.account_id, e.mode, e.id, e.type, e.generation_id, e.attempt, e.available_change, e.reserved_change,
      e.spent_change, 0, e.available_after, p_at
    from unnest(new_entries) with ordinality e
    order by e.ordinality;
end $$;

grant execute on function billing.move_holds to media_billing;
