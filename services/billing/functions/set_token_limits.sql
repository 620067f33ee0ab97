-- Sets the limits of an account (''), of one of its keys, or of each end user (`user_`); null removes one. What is used of
-- a new limit, or of one whose size changes, is summed once from the entries of its period, under the lock of the balance.
create or replace function billing.set_token_limits(p_account text, p_for text, p_day bigint, p_month bigint,
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
    left join billing.limits l on l.account_id = p_account and l.counted_for = p_for and l.period = w.period
    where l.tokens is distinct from w.tokens
  loop
    delete from billing.limits l where l.account_id = p_account and l.counted_for = p_for and l.period = one.period;
    delete from billing.limit_usage u
      where u.account_id = p_account and u.period = one.period
        and case p_for when 'user_' then starts_with(u.counted_for, 'user_') else u.counted_for = p_for end;
    continue when one.tokens is null;
    insert into billing.limits (account_id, counted_for, period, tokens)
      values (p_account, p_for, one.period, one.tokens);
    insert into billing.limit_usage (account_id, starts_on, period, counted_for, tokens)
      select p_account, one.starts::date, one.period, c.counted_for, sum(coalesce(h.captured, h.tokens))
      from billing.entries e
      join billing.holds h on h.account_id = e.account_id and h.mode = e.mode
        and h.generation_id = e.generation_id and h.attempt = e.attempt
      cross join lateral (select case p_for when 'user_' then h.end_user else p_for end as counted_for) c
      where e.account_id = p_account and e.mode = 'live' and e.type = 'reserve'
        and e.created_at >= one.starts at time zone 'UTC' and e.created_at < one.ends at time zone 'UTC'
        and h.state in ('held', 'captured') and c.counted_for in ('', h.key_id, h.end_user)
      group by c.counted_for;
  end loop;
  update billing.balances b
    set has_limits = exists (select from billing.limits l where l.account_id = p_account)
    where b.account_id = p_account and b.mode = 'live';
end $$;

revoke all on function billing.set_token_limits from public;
grant execute on function billing.set_token_limits to media_billing;
