-- migrate:up

create table billing.balances (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  available bigint not null default 0 check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  spent bigint not null default 0 check (spent >= 0),
  issued bigint not null default 0 check (issued >= 0),
  primary key (account_id, mode),
  check (available + reserved + spent = issued)
) with (fillfactor = 50);

create table billing.holds (
  account_id text not null,
  mode text not null,
  generation_id text not null,
  attempt integer not null check (attempt >= 1),
  tokens bigint not null check (tokens >= 0),
  state text not null check (state in ('held', 'captured', 'released')),
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (account_id, mode, generation_id, attempt),
  check ((state = 'held') = (resolved_at is null))
);

create table billing.entries (
  account_id text not null,
  mode text not null,
  id text not null,
  sequence bigint generated always as identity,
  type text not null check (type in ('recharge', 'reserve', 'capture', 'release', 'adjustment')),
  generation_id text,
  attempt integer,
  available_change bigint not null,
  reserved_change bigint not null,
  spent_change bigint not null,
  issued_change bigint not null,
  available_after bigint not null,
  reference text,
  note text,
  actor text,
  created_at timestamptz not null,
  primary key (account_id, mode, id),
  unique (account_id, mode, sequence),
  unique (account_id, mode, generation_id, attempt, type),
  unique (account_id, mode, reference),
  check (available_change + reserved_change + spent_change = issued_change)
);

-- Opens the balance of an account and mode and locks it. A test balance begins with its grant.
create function billing.lock_balance(p_account text, p_mode text, p_at timestamptz)
returns billing.balances
language plpgsql as $$
declare
  grant_tokens constant bigint := 1000000;
  balance billing.balances;
begin
  select * into balance from billing.balances
    where account_id = p_account and mode = p_mode for update;
  if found then
    return balance;
  end if;
  insert into billing.balances (account_id, mode) values (p_account, p_mode) on conflict do nothing;
  if found and p_mode = 'test' then
    update billing.balances set available = grant_tokens, issued = grant_tokens
      where account_id = p_account and mode = p_mode;
    insert into billing.entries (account_id, mode, id, type, available_change, reserved_change,
        spent_change, issued_change, available_after, reference, note, actor, created_at)
      values (p_account, p_mode, 'txn_' || substr(p_account, 6), 'recharge', grant_tokens, 0,
        0, grant_tokens, grant_tokens, 'test-grant', 'Test Tokens', 'billing', p_at);
  end if;
  select * into balance from billing.balances
    where account_id = p_account and mode = p_mode for update;
  return balance;
end $$;

-- Moves Tokens of one balance, in order, one verdict a move. Everything of the call is one transaction, and the
-- row lock of the balance puts the calls of one balance in a line.
create function billing.move_tokens(p_account text, p_mode text, p_moves jsonb, p_at timestamptz)
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
      as (kind text, generation_id text, attempt integer, tokens bigint, entry_id text))
      with ordinality as m (kind, generation_id, attempt, tokens, entry_id, place)
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
      if balance.available < move.tokens then
        verdict := 'insufficient';
      else
        balance.available := balance.available - move.tokens;
        balance.reserved := balance.reserved + move.tokens;
        insert into billing.holds (account_id, mode, generation_id, attempt, tokens, state, created_at)
          values (p_account, p_mode, move.generation_id, move.attempt, move.tokens, 'held', p_at);
        perform billing.write_entry(p_account, p_mode, move.entry_id, 'reserve', move.generation_id,
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
      if move.kind = 'capture' then
        balance.spent := balance.spent + hold.tokens;
        perform billing.write_entry(p_account, p_mode, move.entry_id, 'capture', move.generation_id,
          move.attempt, 0, -hold.tokens, hold.tokens, balance.available, p_at);
      else
        balance.available := balance.available + hold.tokens;
        perform billing.write_entry(p_account, p_mode, move.entry_id, 'release', move.generation_id,
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
    set available = balance.available, reserved = balance.reserved, spent = balance.spent
    where b.account_id = p_account and b.mode = p_mode;
end $$;

create function billing.write_entry(p_account text, p_mode text, p_id text, p_type text, p_generation text,
  p_attempt integer, p_available bigint, p_reserved bigint, p_spent bigint, p_after bigint, p_at timestamptz)
returns void language sql as $$
  insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
      reserved_change, spent_change, issued_change, available_after, created_at)
    values (p_account, p_mode, p_id, p_type, p_generation, p_attempt, p_available,
      p_reserved, p_spent, 0, p_after, p_at);
$$;

-- Credits Tokens; a reference counts once.
create function billing.recharge(p_account text, p_mode text, p_id text, p_tokens bigint, p_reference text,
  p_note text, p_actor text, p_at timestamptz)
returns table (verdict text, transaction_id text, available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  balance billing.balances;
  earlier billing.entries;
begin
  balance := billing.lock_balance(p_account, p_mode, p_at);
  verdict := 'ok';
  transaction_id := p_id;
  select * into earlier from billing.entries e
    where e.account_id = p_account and e.mode = p_mode and e.reference = p_reference;
  if found then
    verdict := case when earlier.issued_change = p_tokens then 'repeated' else 'differs' end;
    transaction_id := earlier.id;
  else
    update billing.balances b
      set available = b.available + p_tokens, issued = b.issued + p_tokens
      where b.account_id = p_account and b.mode = p_mode
      returning b.* into balance;
    insert into billing.entries (account_id, mode, id, type, available_change, reserved_change, spent_change,
        issued_change, available_after, reference, note, actor, created_at)
      values (p_account, p_mode, p_id, 'recharge', p_tokens, 0, 0,
        p_tokens, balance.available, p_reference, p_note, p_actor, p_at);
  end if;
  available := balance.available;
  reserved := balance.reserved;
  return next;
end $$;

create function billing.read_balance(p_account text, p_mode text, p_at timestamptz)
returns table (available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select b.available, b.reserved from billing.balances b
    where b.account_id = p_account and b.mode = p_mode;
  if not found then
    return query select b.available, b.reserved from billing.lock_balance(p_account, p_mode, p_at) b;
  end if;
end $$;

-- The service moves Tokens through these functions alone; what is written it can read, never change.
revoke all on all functions in schema billing from public;
grant execute on function billing.move_tokens, billing.recharge, billing.read_balance to media_billing;
grant select on billing.balances, billing.holds, billing.entries to media_billing;

-- migrate:down
