-- Writes an alert that is due at once. `p_cause` names what it tells of among all alerts of the account: the event's id is
-- made of it, from the digits that hexadecimal and base32 share.
create or replace function billing.insert_alert(p_account text, p_type text, p_data jsonb, p_cause text,
  p_at timestamptz)
returns void language sql as $$
  insert into billing.alerts (account_id, id, type, data, created_at, due_at)
    values (p_account,
      'evt_0' || left(encode(sha256(convert_to(p_account || ' ' || p_type || ' ' || p_cause, 'UTF8')), 'hex'), 25),
      p_type, p_data, p_at, p_at);
$$;

-- Writes an alert when the use of a limit has reached a percentage that the account wants to be told of, once for each in
-- a period; of several the highest. A refusal because of the limit counts as 100.
create or replace function billing.note_limit(p_account text, p_for text, p_period text, p_starts_on date,
  p_size bigint, p_is_refused boolean, p_entry text, p_at timestamptz)
returns void language plpgsql as $$
declare
  reached integer;
  used bigint;
begin
  select max(wanted.percent) into reached
    from billing.limit_usage u
    join billing.alert_settings s using (account_id)
    cross join unnest(s.limit_percents) wanted (percent)
    where u.account_id = p_account and u.counted_for = p_for and u.period = p_period and u.starts_on = p_starts_on
      and wanted.percent > u.alerted_percent
      and (p_is_refused or u.tokens * 100 >= p_size * wanted.percent);
  if reached is not null then
    update billing.limit_usage u set alerted_percent = reached
      where u.account_id = p_account and u.counted_for = p_for and u.period = p_period and u.starts_on = p_starts_on
      returning u.tokens into used;
    perform billing.insert_alert(p_account, 'limit.reached',
      jsonb_build_object('countedFor', p_for, 'period', p_period, 'tokens', p_size::text, 'used', used::text,
        'startsOn', p_starts_on, 'percent', reached),
      concat_ws(' ', p_entry, p_for, p_period), p_at);
  end if;
end $$;

-- Writes an alert when the available Tokens have fallen below the account's threshold, once until they are back. Called
-- after each change of a balance that has a threshold; the caller holds its lock.
create or replace function billing.watch_balance(p_balance billing.balances, p_entry text, p_at timestamptz)
returns void language plpgsql as $$
declare
  has_fallen constant boolean := p_balance.available < p_balance.low_below;
begin
  update billing.balances b set is_low = has_fallen
    where b.account_id = p_balance.account_id and b.mode = p_balance.mode and b.is_low <> has_fallen;
  if found and has_fallen then
    perform billing.insert_alert(p_balance.account_id, 'balance.low',
      jsonb_build_object('available', p_balance.available::text, 'reserved', p_balance.reserved::text,
        'threshold', p_balance.low_below::text),
      p_entry, p_at);
  end if;
end $$;

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

grant execute on function billing.set_alerts to media_billing;
