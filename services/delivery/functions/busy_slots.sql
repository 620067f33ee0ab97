-- The host slots that an account has, as "host slot", at most `p_max`: one probe of an index for each. The caller forbids
-- sorts, so that only the index with this order is used.
create or replace function delivery.busy_slots(p_account text, p_max integer)
returns text[]
language sql stable
as $$
  with recursive busy as (
    (
      select host, host_slot from delivery.webhook_queue
      where account_id = p_account and host_slot is not null
      order by host, host_slot
      limit 1
    )
    union all
    select next.host, next.host_slot
    from busy
    cross join lateral (
      select q.host, q.host_slot from delivery.webhook_queue q
      where q.account_id = p_account and q.host_slot is not null and (q.host, q.host_slot) > (busy.host, busy.host_slot)
      order by q.host, q.host_slot
      limit 1
    ) next
  )
  select coalesce(array_agg(host || ' ' || host_slot), '{}') from (select host, host_slot from busy limit p_max) first
$$;

revoke all on function delivery.busy_slots from public;
grant execute on function delivery.busy_slots to media_delivery;
