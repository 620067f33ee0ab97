-- Locks the balance of an account and mode, and opens it where it does not exist. A test balance opens with a grant.
create or replace function billing.lock_balance(p_account text, p_mode text, p_at timestamptz)
returns billing.balances
language plpgsql as $$
declare
  opening constant bigint := case p_mode when 'test' then 1000000 else 0 end;
  balance billing.balances;
begin
  select b.* into balance from billing.balances b
    where b.account_id = p_account and b.mode = p_mode for update;
  if found then
    return balance;
  end if;
  insert into billing.balances (account_id, mode, available, issued)
    values (p_account, p_mode, opening, opening) on conflict do nothing;
  if found and opening > 0 then
    insert into billing.entries (account_id, mode, id, type, available_change, reserved_change,
        spent_change, issued_change, available_after, reference, note, actor, created_at)
      values (p_account, p_mode, 'txn_' || substr(p_account, 6), 'recharge', opening, 0,
        0, opening, opening, 'test-grant', 'Test Tokens', 'billing', p_at);
  end if;
  select b.* into balance from billing.balances b
    where b.account_id = p_account and b.mode = p_mode for update;
  return balance;
end $$;

-- Returns the balance; the first call of a mode opens it, with the grant of test mode.
create or replace function billing.open_balance(p_account text, p_mode text, p_at timestamptz)
returns table (available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select b.available, b.reserved from billing.balances b
    where b.account_id = p_account and b.mode = p_mode;
  if not found then
    return query select b.available, b.reserved from billing.lock_balance(p_account, p_mode, p_at) b;
  end if;
end $$;

grant execute on function billing.open_balance to media_billing;

-- The change of available plus reserved Tokens by the entries from p_from (inclusive) to p_to (exclusive).
create or replace function billing.held_change(p_account text, p_mode text, p_from timestamptz, p_to timestamptz)
returns bigint
language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(sum(e.available_change + e.reserved_change), 0)::bigint
  from billing.entries e
  where e.account_id = p_account and e.mode = p_mode and e.created_at >= p_from and e.created_at < p_to
$$;

-- Available plus reserved Tokens just before p_at. What they were at the beginning of its month is kept once that is a day
-- ago, when no entry from before can be under way any more; later calls read the entries from there on.
create or replace function billing.held_before(p_account text, p_mode text, p_at timestamptz, p_now timestamptz)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  month timestamptz := date_trunc('month', least(p_at, p_now - interval '1 day'), 'UTC');
  since timestamptz := '-infinity';
  result bigint := 0;
begin
  select b.starts_at, b.held into since, result from billing.month_balances b
    where b.account_id = p_account and b.mode = p_mode and b.starts_at <= month
    order by b.starts_at desc limit 1;
  since := coalesce(since, '-infinity');
  result := coalesce(result, 0);
  if since < month then
    result := result + billing.held_change(p_account, p_mode, since, month);
    since := month;
    insert into billing.month_balances (account_id, mode, starts_at, held)
      values (p_account, p_mode, month, result)
      on conflict do nothing;
  end if;
  return result + billing.held_change(p_account, p_mode, since, p_at);
end $$;

grant execute on function billing.held_before to media_billing;
