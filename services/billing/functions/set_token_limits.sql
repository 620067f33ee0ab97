-- Sets the limits of an account, or of one of its keys; null removes one. What is used of a new limit, or of one whose
-- size changes, is summed once from the entries of its period, under the lock of the balance.
create or replace function billing.set_token_limits(p_account text, p_key text, p_day bigint, p_month bigint,
  p_at timestamptz)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- Off for services. Here a month of entries is joined with its holds.
set enable_hashjoin to on
set plan_cache_mode to auto
as $$
declare
  at_utc constant timestamp := p_at at time zone 'UTC';
  one record;
begin
  perform billing.lock_balance(p_account, 'live', p_at);
  for one in
    select w.period, w.tokens, date_trunc(w.period, at_utc) as starts,
      date_trunc(w.period, at_utc) + ('1 ' || w.period)::interval as ends
    from (values ('day', p_day), ('month', p_month)) w (period, tokens)
    left join billing.limits l on l.account_id = p_account and l.key_id = p_key and l.period = w.period
    where l.tokens is distinct from w.tokens
  loop
    delete from billing.limits l where l.account_id = p_account and l.key_id = p_key and l.period = one.period;
    delete from billing.limit_usage u where u.account_id = p_account and u.key_id = p_key and u.period = one.period;
    continue when one.tokens is null;
    insert into billing.limits (account_id, key_id, period, tokens) values (p_account, p_key, one.period, one.tokens);
    insert into billing.limit_usage (account_id, key_id, period, starts_on, tokens)
      select p_account, p_key, one.period, one.starts::date, coalesce(sum(coalesce(h.captured, h.tokens)), 0)
      from billing.entries e
      join billing.holds h on h.account_id = e.account_id and h.mode = e.mode
        and h.generation_id = e.generation_id and h.attempt = e.attempt
      where e.account_id = p_account and e.mode = 'live' and e.type = 'reserve'
        and e.created_at >= one.starts at time zone 'UTC' and e.created_at < one.ends at time zone 'UTC'
        and h.state in ('held', 'captured') and p_key in ('', h.key_id);
  end loop;
  update billing.balances b
    set has_limits = exists (select from billing.limits l where l.account_id = p_account)
    where b.account_id = p_account and b.mode = 'live';
end $$;

revoke all on function billing.set_token_limits from public;
grant execute on function billing.set_token_limits to media_billing;
