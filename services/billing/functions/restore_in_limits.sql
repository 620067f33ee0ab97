-- Takes restored Tokens of a hold off the periods in which they were reserved. A counter never keeps Tokens from being
-- restored: it stops at 0.
create or replace function billing.restore_in_limits(p_hold billing.holds, p_tokens bigint)
returns void language sql as $$
  update billing.limit_usage u set tokens = greatest(0, u.tokens - p_tokens)
    from (values ('day'), ('month')) reserved (period)
    where u.account_id = p_hold.account_id and u.counted_for in ('', p_hold.key_id, p_hold.end_user)
      and u.period = reserved.period
      and u.starts_on = date_trunc(reserved.period, p_hold.created_at at time zone 'UTC')::date;
$$;

revoke all on function billing.restore_in_limits from public;
