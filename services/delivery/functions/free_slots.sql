-- How many slots, at most `p_max`, a host of an account is given: the free ones of its 4 over all processes, as far as its
-- due deliveries need them, `p_share` in each.
create or replace function delivery.free_slots(p_account text, p_host text, p_now timestamptz, p_share integer,
  p_max integer)
returns integer
language sql stable
as $$
  select least(p_max, ceil(count(*)::float / p_share), 4 - (
    select count(distinct host_slot) from delivery.webhook_queue
    where account_id = p_account and host = p_host and host_slot is not null
  ))::integer
  from (
    select from delivery.webhook_queue
    where ready and account_id = p_account and host = p_host and next_attempt_at <= p_now
    order by next_attempt_at
    limit 4 * p_share
  ) due
$$;

revoke all on function delivery.free_slots from public;
grant execute on function delivery.free_slots to media_delivery;
