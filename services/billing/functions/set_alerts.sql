-- Sets when and where an account is told. A balance that is below a new threshold already is not told of until it has
-- been back.
create or replace function billing.set_alerts(p_account text, p_low_below bigint, p_limit_percents integer[],
  p_webhook_url text, p_mail boolean, p_at timestamptz)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform billing.lock_balance(p_account, 'live', p_at);
  update billing.balances b
    set low_below = p_low_below, is_low = coalesce(b.available < p_low_below, false)
    where b.account_id = p_account and b.mode = 'live';
  insert into billing.alert_settings (account_id, limit_percents, webhook_url, mail)
    values (p_account, p_limit_percents, p_webhook_url, p_mail)
    on conflict (account_id) do update set limit_percents = excluded.limit_percents,
      webhook_url = excluded.webhook_url, mail = excluded.mail;
end $$;

revoke all on function billing.set_alerts from public;
grant execute on function billing.set_alerts to media_billing;
