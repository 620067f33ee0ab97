-- Counts Tokens that are being reserved against the limits of the account and key, and notes what these reach. Returns
-- the limit that does not allow them, as it stands; then nothing is counted. The caller holds the lock of the balance.
create or replace function billing.count_in_limits(p_account text, p_key text, p_tokens bigint, p_entry text,
  p_at timestamptz)
returns jsonb language plpgsql as $$
declare
  at_utc constant timestamp := p_at at time zone 'UTC';
  refusing billing.limits;
  is_refused boolean;
  counted record;
  refusal jsonb;
begin
  -- Of several the one that lasts longest: the month before the day.
  select l.* into refusing
    from billing.limits l
    left join billing.limit_usage u on u.account_id = l.account_id and u.key_id = l.key_id and u.period = l.period
      and u.starts_on = date_trunc(l.period, at_utc)::date
    where l.account_id = p_account and l.key_id in ('', p_key) and coalesce(u.tokens, 0) + p_tokens > l.tokens
    order by l.period desc, l.key_id
    limit 1;
  is_refused := found;
  for counted in
    with named as (
      select l.* from billing.limits l
      where l.account_id = p_account and l.key_id in ('', p_key)
        and (not is_refused or (l.key_id = refusing.key_id and l.period = refusing.period))
    ), used as (
      insert into billing.limit_usage as u (account_id, key_id, period, starts_on, tokens)
        select n.account_id, n.key_id, n.period, date_trunc(n.period, at_utc)::date,
          case when is_refused then 0 else p_tokens end
        from named n
        on conflict (account_id, key_id, period, starts_on) do update set tokens = u.tokens + excluded.tokens
        returning u.*
    )
    select n.tokens as size, u.* from named n join used u using (account_id, key_id, period)
  loop
    perform billing.note_limit(p_account, counted.key_id, counted.period, counted.starts_on, counted.size,
      is_refused, p_entry, p_at);
    if is_refused then
      refusal := jsonb_build_object('keyId', counted.key_id, 'period', counted.period, 'tokens', counted.size::text,
        'used', counted.tokens::text, 'startsOn', counted.starts_on);
    end if;
  end loop;
  return refusal;
end $$;

revoke all on function billing.count_in_limits from public;
