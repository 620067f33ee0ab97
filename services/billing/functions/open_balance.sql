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

revoke all on function billing.open_balance from public;
grant execute on function billing.open_balance to media_billing;
