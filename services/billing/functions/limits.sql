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
-- a new limit is summed once from the entries of its period: nearly all of them before the balance is locked, because
-- moves of other accounts share a statement with those that wait for it.
create or replace function billing.set_token_limits(p_account text, p_for text, p_day bigint, p_month bigint,
  p_at timestamptz)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- Off for services. Here a month of entries is joined with its holds.
set enable_hashjoin to on
set plan_cache_mode to force_custom_plan
as $$
declare
  at_utc constant timestamp := p_at at time zone 'UTC';
  -- The periods of new limits, and the beginning of the longest.
  periods text[];
  since timestamptz;
  summed_to bigint := 0;
  last_entry bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('billing.set_token_limits ' || p_account, 0));
  select array_agg(w.period), min(date_trunc(w.period, at_utc)) at time zone 'UTC' into periods, since
    from (values ('day', p_day), ('month', p_month)) w (period, tokens)
    where w.tokens is not null and not exists (
      select from billing.limits l where l.account_id = p_account and l.counted_for = p_for and l.period = w.period);
  for pass in 1 .. 2 loop
    if pass = 2 then
      perform billing.lock_balance(p_account, 'live', p_at);
    end if;
    select coalesce(max(e.sequence), 0) into last_entry from billing.entries e
      where e.account_id = p_account and e.mode = 'live';
    merge into billing.limit_usage u
    using (
      select w.period, date_trunc(w.period, h.created_at at time zone 'UTC')::date as starts_on, c.counted_for,
        -sum(e.available_change) as used
      from billing.entries e
      join billing.holds h on h.account_id = e.account_id and h.mode = e.mode
        and h.generation_id = e.generation_id and h.attempt = e.attempt
      join unnest(periods) w (period) on h.created_at >= date_trunc(w.period, at_utc) at time zone 'UTC'
      cross join lateral (select case p_for when 'user_' then h.end_user else p_for end as counted_for) c
      where e.account_id = p_account and e.mode = 'live' and e.created_at >= since
        and e.sequence > summed_to and e.sequence <= last_entry and c.counted_for in ('', h.key_id, h.end_user)
      group by 1, 2, 3
    ) s on (u.account_id, u.starts_on, u.period, u.counted_for) = (p_account, s.starts_on, s.period, s.counted_for)
    when matched then update set tokens = u.tokens + s.used
    when not matched then insert values (p_account, s.starts_on, s.period, s.counted_for, s.used);
    summed_to := last_entry;
  end loop;
  with changed as (
    insert into billing.limits as l (account_id, counted_for, period, tokens)
      select p_account, p_for, w.period, w.tokens from (values ('day', p_day), ('month', p_month)) w (period, tokens)
      where w.tokens is not null
      on conflict (account_id, counted_for, period) do update set tokens = excluded.tokens
        where l.tokens <> excluded.tokens
      returning l.period
  )
  update billing.limit_usage u set alerted_percent = 0 from changed c
    where u.account_id = p_account and u.period = c.period and u.counted_for = p_for;
  with removed as (
    delete from billing.limits l
      where l.account_id = p_account and l.counted_for = p_for
        and case l.period when 'day' then p_day else p_month end is null
      returning l.period
  )
  delete from billing.limit_usage u using removed
    where u.account_id = p_account and u.period = removed.period
      and case p_for when 'user_' then starts_with(u.counted_for, 'user_') else u.counted_for = p_for end;
  update billing.balances b
    set has_limits = exists (select from billing.limits l where l.account_id = p_account)
    where b.account_id = p_account and b.mode = 'live';
end $$;

grant execute on function billing.set_token_limits to media_billing;
