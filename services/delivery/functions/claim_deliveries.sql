-- Gives free slots of hosts to ready deliveries, host by host after `p_after` and then from the first host on.
-- Deliveries of a disabled URL are finished instead and returned without a slot.
-- A host has `p_slots` slots over all processes. Together the slots take about `p_rows` deliveries, none more than
-- `p_depth`, and those of the hosts in `p_slow` one each. A few deliveries for one host share a slot, and so a
-- connection.
-- The work is one probe of an index for each host with something ready and for each row taken, however long a backlog
-- is. Statistics cannot ensure that, because they may be of a queue that was empty a moment ago: hence the settings
-- below, which keep the planner from plans that read the table.
create or replace function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_after text,
  p_hosts integer, p_slots integer, p_slow text[], p_depth integer, p_rows integer)
returns table (account_id text, id text, mode text, event_id text, url text, host text, body bytea,
  attempt_count integer, redelivered boolean, fence bigint, host_slot smallint)
language plpgsql
set enable_seqscan to off
set enable_bitmapscan to off
set enable_hashjoin to off
set enable_mergejoin to off
set enable_indexscan to on
set enable_indexonlyscan to on
as $$
#variable_conflict use_column
declare
  waking record;
  accounts text[];
  ids text[];
  slots smallint[];
  counts integer[];
  redeliveries boolean[];
  fences bigint[];
begin
  -- One claim at a time, so that each sees what the last one took. claimsBeforeEnded takes the same lock.
  perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));

  -- Row by row: a statement for many rows may run with a plan made for few, which reads a whole index to find them.
  for waking in
    select account_id, delivery_id, fence, leased_at
    from delivery.webhook_queue
    where not ready and coalesce(lease_until, next_attempt_at) <= p_now
    order by coalesce(lease_until, next_attempt_at)
    limit 1000
    for update skip locked
  loop
    update delivery.webhook_queue q
    set ready = true, host_slot = null, leased_at = null, lease_until = null
    where q.account_id = waking.account_id and q.delivery_id = waking.delivery_id;
    -- The lease was lost: the attempt's outcome is unknown.
    if waking.leased_at is not null then
      insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
      values (waking.account_id, waking.delivery_id, waking.fence, waking.leased_at);
    end if;
  end loop;

  with recursive following as (
    (select host from delivery.webhook_queue where ready and host > p_after order by host limit 1)
    union all
    select (select q.host from delivery.webhook_queue q where q.ready and q.host > f.host order by q.host limit 1)
    from following f where f.host is not null
  ), preceding as (
    (select host from delivery.webhook_queue where ready order by host limit 1)
    union all
    select (select q.host from delivery.webhook_queue q where q.ready and q.host > p.host order by q.host limit 1)
    from preceding p where p.host <= p_after
  ), turn as (
    select host from following where host is not null
    union all
    select host from preceding where host <= p_after
  ), open as materialized (
    select host, slots, case when host = any(p_slow) then 1 else least(4, p_depth) end as share,
      cardinality(slots) * case when host = any(p_slow) then 1
        else greatest(1, least(p_depth, p_rows / sum(cardinality(slots)) over ()))::integer end as capacity
    from (
      select turn.host, free.slots
      from turn
      cross join lateral (
        select array_agg(one.slot) as slots
        from generate_series(1, p_slots) as one (slot)
        where not exists (
          select from delivery.webhook_queue busy where busy.host = turn.host and busy.host_slot = one.slot
        )
      ) free
      where free.slots is not null
      limit p_hosts
    ) hosts
  )
  select array_agg(first.account_id), array_agg(first.delivery_id), array_agg(case when stop.at is null then
    open.slots[1 + (first.ordinal - 1)
      / greatest(open.share, ceil(first.total / cardinality(open.slots)::float)::integer)]
    end)
  into accounts, ids, slots
  from open
  cross join lateral (
    select due.account_id, due.delivery_id, due.mode, due.url_sha256,
      row_number() over (order by due.next_attempt_at) as ordinal, count(*) over () as total
    from (
      select account_id, delivery_id, mode, url_sha256, next_attempt_at
      from delivery.webhook_queue
      where ready and host = open.host and next_attempt_at <= p_now
      order by next_attempt_at
      limit open.capacity
    ) due
  ) first
  -- The limit makes the planner look up row by row; without it, it may read all disabled URLs at once.
  left join lateral (
    select u.disabled_at as at from delivery.disabled_urls u
    where u.account_id = first.account_id and u.mode = first.mode and u.url_sha256 = first.url_sha256
    limit 1
  ) stop on true;

  -- Rows are found by their keys with a bitmap each; an index scan may read the whole index instead.
  perform set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true),
    set_config('enable_bitmapscan', 'on', true);
  with chosen as materialized (
    select account_id, delivery_id, host_slot
    from unnest(accounts, ids, slots) as one (account_id, delivery_id, host_slot)
  ), taken as (
    update delivery.webhook_queue q
    set ready = false, fence = q.fence + 1, host_slot = chosen.host_slot, leased_at = p_now, lease_until = p_lease_until
    from chosen
    where chosen.host_slot is not null and q.account_id = chosen.account_id and q.delivery_id = chosen.delivery_id
      -- Does not imply the condition of webhook_queue_ready, so that the rows are found by their key.
      and q.ready is not false
    returning q.account_id, q.delivery_id, q.attempt_count, q.redelivered, q.fence, q.host_slot, q.host,
      q.next_attempt_at
  ), stopped as (
    delete from delivery.webhook_queue q
    using chosen
    where chosen.host_slot is null and q.account_id = chosen.account_id and q.delivery_id = chosen.delivery_id
      and q.ready is not false
    returning q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.attempt_count, q.redelivered,
      q.fence, q.host, q.next_attempt_at
  ), ended as (
    insert into delivery.finished_deliveries (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
      attempt_count, redelivered)
    select account_id, delivery_id, mode, url_sha256, created_at, 'disabled', fence, attempt_count, redelivered
    from stopped
  ), claimed as (
    select account_id, delivery_id, attempt_count, redelivered, fence, host_slot, host, next_attempt_at from taken
    union all
    select account_id, delivery_id, attempt_count, redelivered, fence, null, host, next_attempt_at from stopped
    order by host, host_slot, next_attempt_at
  )
  select array_agg(account_id), array_agg(delivery_id), array_agg(attempt_count), array_agg(redelivered),
    array_agg(fence), array_agg(host_slot)
  into accounts, ids, counts, redeliveries, fences, slots
  from claimed;

  perform set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
  return query
  select d.account_id, d.id, d.mode, d.event_id, d.url, d.host, d.body, c.attempt_count, c.redelivered, c.fence,
    c.host_slot
  from unnest(accounts, ids, counts, redeliveries, fences, slots) with ordinality
    as c (account_id, delivery_id, attempt_count, redelivered, fence, host_slot, ordinal)
  -- The limit makes the planner look up row by row here too.
  cross join lateral (
    select w.account_id, w.id, w.mode, w.event_id, w.url, w.host, w.body from delivery.webhook_deliveries w
    where w.account_id = c.account_id and w.id = c.delivery_id
    limit 1
  ) d
  order by c.ordinal;
end
$$;

revoke all on function delivery.claim_deliveries from public;
grant execute on function delivery.claim_deliveries to media_delivery;
