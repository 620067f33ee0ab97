-- How many host slots an account has over all processes. The caller's planner settings hold here too.
create or replace function delivery.busy_slots(p_account text)
returns integer
language sql stable
as $$
  select count(*)::integer from (
    select distinct host, host_slot from delivery.webhook_queue
    where account_id = p_account and host_slot is not null
  ) busy
$$;

revoke all on function delivery.busy_slots from public;
grant execute on function delivery.busy_slots to media_delivery;
