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

revoke all on function billing.note_limit from public;
