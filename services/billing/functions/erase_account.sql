-- Erases what billing keeps of an account besides numbers: notes of entries, limits, alerts, and where they go to.
create or replace function billing.erase_account(p_account text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update billing.balances set has_limits = false, low_below = null, is_low = false
    where account_id = p_account and mode = 'live';
  delete from billing.limits where account_id = p_account;
  delete from billing.limit_usage where account_id = p_account;
  delete from billing.alert_settings where account_id = p_account;
  delete from billing.alerts where account_id = p_account;
  -- Entries of holds, which are many, have no note.
  update billing.entries set note = null
    where account_id = p_account and mode in ('live', 'test') and type in ('recharge', 'adjustment')
      and note is not null;
end $$;

grant execute on function billing.erase_account to media_billing;
