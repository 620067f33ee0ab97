-- Counts Tokens that are being reserved against the limits of the account, key and end user, and notes what the first two
-- reach. Returns the limit that does not allow them, as it stands; then nothing is counted. The caller holds the lock of
-- the balance.
create or replace function billing.count_in_limits(p_account text, p_key text, p_end_user text, p_tokens bigint,
  p_entry text, p_at timestamptz)
returns jsonb language plpgsql as $$
declare
  at_utc constant timestamp := p_at at time zone 'UTC';
  whose constant text[] := array['', p_key, case when p_end_user is not null then 'user_' end];
  refusing billing.limits;
  is_refused boolean;
  counted record;
  refusal jsonb;
begin
  -- If several limits refuse, the longest one counts: the month before the day.
  select l.* into refusing
    from billing.limits l
    left join billing.limit_usage u on u.account_id = l.account_id and u.period = l.period
      and u.counted_for = case l.counted_for when 'user_' then p_end_user else l.counted_for end
      and u.starts_on = date_trunc(l.period, at_utc)::date
    where l.account_id = p_account and l.counted_for = any (whose) and coalesce(u.tokens, 0) + p_tokens > l.tokens
    order by l.period desc, l.counted_for
    limit 1;
  is_refused := found;
  for counted in
    with named as (
      select l.counted_for as named_for, l.tokens as size, l.period,
        case l.counted_for when 'user_' then p_end_user else l.counted_for end as counted_for
      from billing.limits l
      where l.account_id = p_account and l.counted_for = any (whose)
        and (not is_refused or (l.counted_for = refusing.counted_for and l.period = refusing.period))
    ), used as (
      insert into billing.limit_usage as u (account_id, starts_on, period, counted_for, tokens)
        select p_account, date_trunc(n.period, at_utc)::date, n.period, n.counted_for,
          case when is_refused then 0 else p_tokens end
        from named n
        on conflict (account_id, starts_on, period, counted_for) do update set tokens = u.tokens + excluded.tokens
        returning u.*
    )
    select * from named n join used u using (period, counted_for)
  loop
    -- There may be any number of end users: nobody is told of each.
    if counted.named_for <> 'user_' then
      perform billing.note_limit(p_account, counted.counted_for, counted.period, counted.starts_on, counted.size,
        is_refused, p_entry, p_at);
    end if;
    if is_refused then
      refusal := jsonb_build_object('countedFor', counted.named_for, 'period', counted.period,
        'tokens', counted.size::text, 'used', counted.tokens::text, 'startsOn', counted.starts_on);
    end if;
  end loop;
  -- More than a count can add, so that end users who do not come back leave nothing for long. After 32 days a month is past.
  delete from billing.limit_usage d
    using (
      select u.account_id, u.starts_on, u.period, u.counted_for from billing.limit_usage u
      where u.account_id = p_account and u.starts_on < (at_utc - interval '32 days')::date
      limit 8
    ) past
    where d.account_id = past.account_id and d.starts_on = past.starts_on and d.period = past.period
      and d.counted_for = past.counted_for;
  return refusal;
end $$;

-- Sets the limits of an account (''), of one of its keys, or of each end user (`user_`); null removes one. What is used of
-- a new limit is summed once from the entries of its period, under the lock of the balance.
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
    select w.period, w.tokens, l.tokens is not null as is_counted, date_trunc(w.period, at_utc) as starts,
      date_trunc(w.period, at_utc) + ('1 ' || w.period)::interval as ends
    from (values ('day', p_day), ('month', p_month)) w (period, tokens)
    left join billing.limits l on l.account_id = p_account and l.counted_for = p_for and l.period = w.period
    where l.tokens is distinct from w.tokens
  loop
    if one.is_counted and one.tokens is not null then
      update billing.limits l set tokens = one.tokens
        where l.account_id = p_account and l.counted_for = p_for and l.period = one.period;
      update billing.limit_usage u set alerted_percent = 0
        where u.account_id = p_account and u.period = one.period and u.counted_for = p_for;
      continue;
    end if;
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

grant execute on function billing.set_token_limits to media_billing;
