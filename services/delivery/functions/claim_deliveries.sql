-- Gives free host slots to ready deliveries. A receiver is a host of an account, written "account host"; it has `p_slots`
-- slots over all processes, and an account `p_account_slots`.
-- Accounts come in turn after `p_after`, then from the first on, and get up to `p_quantum` slots for their hosts, which
-- come in turn after the account's receiver in `p_last`. So at most `p_open` slots are given, and an account is passed
-- over that has `p_account_open`. What remains up to `p_limit`, and up to the account's limit, is for the receivers in
-- `p_fast`: neither slow hosts of one account nor slow accounts can take all slots.
-- Deliveries of a disabled URL are finished instead and returned without a slot.
-- Together the slots take about `p_rows` deliveries, none more than `p_depth`, and those of the receivers in `p_slow` one
-- each. A few deliveries for one receiver share a slot, and so a connection.
-- The work is one probe of an index for each account, receiver and slot that is looked at and for each row taken, however
-- long a backlog is. Statistics cannot ensure that, because they may be of a queue that was empty a moment ago: hence
-- the settings below, which keep the planner from plans that read the table. Each walk asks for an order that only one
-- index has, and may not sort.
create or replace function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_after text,
  p_open integer, p_slots integer, p_slow text[], p_depth integer, p_rows integer, p_limit integer,
  p_account_slots integer, p_account_open integer, p_quantum integer, p_last text[], p_fast text[])
returns table (account_id text, id text, mode text, event_id text, url text, host text, body bytea,
  attempt_count integer, redelivered boolean, fence bigint, host_slot smallint, in_turn boolean,
  request_id text, traceparent text)
language plpgsql
set enable_seqscan to off
set enable_bitmapscan to off
set enable_hashjoin to off
set enable_mergejoin to off
set enable_sort to off
set enable_incremental_sort to off
set enable_indexscan to on
set enable_indexonlyscan to on
as $$
#variable_conflict use_column
declare
  waking record;
  v_account text;
  v_host text;
  after_account text := p_after;
  after_host text;
  last_host text;
  busy text[];
  free smallint[];
  room integer;
  left_open integer := p_open;
  is_restricted boolean := false;
  -- The receivers that get slots, the slots of each, and how many of the receivers had their turn.
  receivers text[] := '{}';
  given text[] := '{}';
  turns integer;
  accounts text[];
  ids text[];
  slots smallint[];
  counts integer[];
  redeliveries boolean[];
  fences bigint[];
  ordinals bigint[];
begin
  -- One claim at a time, so that each sees what the last one took. waitForRunningClaims takes the same lock.
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

  for account_pass in 1..2 loop
    while left_open > 0 loop
      select q.account_id into v_account
      from delivery.webhook_queue q
      where q.ready and q.account_id > after_account
      order by q.account_id, q.host
      limit 1;
      exit when v_account is null or account_pass = 2 and v_account > p_after;
      after_account := v_account;
      busy := delivery.busy_slots(v_account, p_account_slots);
      room := least(p_quantum, left_open, p_account_open - cardinality(busy));
      is_restricted := is_restricted or room <= 0;
      last_host := coalesce(
        (select substr(one, length(v_account) + 2) from unnest(p_last) as one
          where starts_with(one, v_account || ' ') limit 1),
        '');
      after_host := last_host;
      for host_pass in 1..2 loop
        while room > 0 loop
          select q.host into v_host
          from delivery.webhook_queue q
          where q.ready and q.account_id = v_account and q.host > after_host
          order by q.host
          limit 1;
          exit when v_host is null or host_pass = 2 and v_host > last_host;
          after_host := v_host;
          free := delivery.free_slots(v_account, v_host, busy, p_now, p_slots,
            case when v_account || ' ' || v_host = any(p_slow) then 1 else least(4, p_depth) end, room);
          continue when free is null;
          receivers := receivers || (v_account || ' ' || v_host);
          given := given || free::text;
          room := room - cardinality(free);
          left_open := left_open - cardinality(free);
        end loop;
        after_host := '';
      end loop;
    end loop;
    after_account := '';
  end loop;
  turns := cardinality(receivers);

  if is_restricted or left_open <= 0 then
    room := p_limit - p_open + left_open;
    for n in 1..cardinality(p_fast) loop
      exit when room <= 0;
      continue when p_fast[n] = any(receivers);
      v_account := split_part(p_fast[n], ' ', 1);
      v_host := split_part(p_fast[n], ' ', 2);
      busy := delivery.busy_slots(v_account, p_account_slots) || array(
        select one.receiver || ' ' || slot
        from unnest(receivers, given) as one (receiver, slots), unnest(one.slots::smallint[]) as slot
        where starts_with(one.receiver, v_account || ' '));
      free := delivery.free_slots(v_account, v_host, busy, p_now, p_slots, least(4, p_depth),
        least(room, p_account_slots - cardinality(busy)));
      continue when free is null;
      receivers := receivers || p_fast[n];
      given := given || free::text;
      room := room - cardinality(free);
    end loop;
  end if;
  if cardinality(receivers) = 0 then
    return;
  end if;

  with open as materialized (
    select ordinal, account_id, host, slots, share,
      cardinality(slots) * case when share = 1 then 1
        else greatest(1, least(p_depth, p_rows / sum(cardinality(slots)) over ()))::integer end as capacity
    from (
      select ordinal, split_part(receiver, ' ', 1) as account_id, split_part(receiver, ' ', 2) as host,
        slots::smallint[] as slots, case when receiver = any(p_slow) then 1 else least(4, p_depth) end as share
      from unnest(receivers, given) with ordinality as one (receiver, slots, ordinal)
    ) each
  )
  select array_agg(first.account_id), array_agg(first.delivery_id), array_agg(case when stop.at is null then
    open.slots[1 + (first.ordinal - 1)
      / greatest(open.share, ceil(first.total / cardinality(open.slots)::float)::integer)]
    end), array_agg(open.ordinal)
  into accounts, ids, slots, ordinals
  from open
  cross join lateral (
    select due.account_id, due.delivery_id, due.mode, due.url_sha256,
      row_number() over (order by due.next_attempt_at) as ordinal, count(*) over () as total
    from (
      select account_id, delivery_id, mode, url_sha256, next_attempt_at
      from delivery.webhook_queue
      where ready and account_id = open.account_id and host = open.host and next_attempt_at <= p_now
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
    set_config('enable_bitmapscan', 'on', true), set_config('enable_sort', 'on', true);
  with chosen as materialized (
    select account_id, delivery_id, host_slot, ordinal
    from unnest(accounts, ids, slots, ordinals) as one (account_id, delivery_id, host_slot, ordinal)
  ), taken as (
    update delivery.webhook_queue q
    set ready = false, fence = q.fence + 1, host_slot = chosen.host_slot, leased_at = p_now, lease_until = p_lease_until
    from chosen
    where chosen.host_slot is not null and q.account_id = chosen.account_id and q.delivery_id = chosen.delivery_id
      -- Does not imply the condition of webhook_queue_ready, so that the rows are found by their key.
      and q.ready is not false
    returning q.account_id, q.delivery_id, q.attempt_count, q.redelivered, q.fence, q.host_slot,
      q.next_attempt_at, chosen.ordinal
  ), stopped as (
    delete from delivery.webhook_queue q
    using chosen
    where chosen.host_slot is null and q.account_id = chosen.account_id and q.delivery_id = chosen.delivery_id
      and q.ready is not false
    returning q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.attempt_count, q.redelivered,
      q.fence, q.next_attempt_at, chosen.ordinal
  ), ended as (
    insert into delivery.finished_deliveries (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
      attempt_count, redelivered)
    select account_id, delivery_id, mode, url_sha256, created_at,
      case when redelivered and delivery.was_delivered(account_id, delivery_id) then 'delivered' else 'disabled' end,
      fence, attempt_count, redelivered
    from stopped
  ), claimed as (
    select account_id, delivery_id, attempt_count, redelivered, fence, host_slot, next_attempt_at, ordinal from taken
    union all
    select account_id, delivery_id, attempt_count, redelivered, fence, null, next_attempt_at, ordinal from stopped
    order by ordinal, host_slot, next_attempt_at
  )
  select array_agg(account_id), array_agg(delivery_id), array_agg(attempt_count), array_agg(redelivered),
    array_agg(fence), array_agg(host_slot), array_agg(ordinal)
  into accounts, ids, counts, redeliveries, fences, slots, ordinals
  from claimed;

  perform set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
  return query
  select d.account_id, d.id, d.mode, d.event_id, d.url, d.host, d.body, c.attempt_count, c.redelivered, c.fence,
    c.host_slot, c.receiver <= turns, d.request_id, d.traceparent
  from unnest(accounts, ids, counts, redeliveries, fences, slots, ordinals) with ordinality
    as c (account_id, delivery_id, attempt_count, redelivered, fence, host_slot, receiver, ordinal)
  -- The limit makes the planner look up row by row here too.
  cross join lateral (
    select w.account_id, w.id, w.mode, w.event_id, w.url, w.host, w.body, w.request_id, w.traceparent
    from delivery.webhook_deliveries w
    where w.account_id = c.account_id and w.id = c.delivery_id
    limit 1
  ) d
  order by c.ordinal;
end
$$;

revoke all on function delivery.claim_deliveries from public;
grant execute on function delivery.claim_deliveries to media_delivery;
