-- Gives free host slots to ready deliveries. A receiver is a host of an account.
-- Accounts come in turn after `p_after`, then from the first on, and get up to `p_quantum` slots for their hosts, which
-- come in turn after the account's in `p_last`. So at most `p_open` slots are given, and an account is passed over that
-- has 24 over all processes. What remains up to `p_limit`, and up to 32 of an account, is for the receivers in `p_fast`:
-- neither slow hosts of one account nor slow accounts can take all slots. Receivers in `p_fast` and `p_slow` are written
-- "account host".
-- Together the slots take about 1,024 deliveries, none more than 64, and those of slow receivers one each. A few
-- deliveries for one receiver share a slot, and so a connection.
-- Deliveries of a disabled URL are finished instead and returned without a slot.
-- The work is one probe of an index for each account and receiver that is looked at, and for each row taken or in a slot
-- of theirs, however long a backlog is. Statistics cannot ensure that, because they may be of a queue that was empty a
-- moment ago: hence the settings below, which keep the planner from plans that read the table. Each walk asks for an
-- order that only one index has, and may not sort; rows are changed by their place, so that no index is chosen for that.
create or replace function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_after text,
  p_last jsonb, p_quantum integer, p_open integer, p_limit integer, p_fast text[], p_slow text[])
returns table (account_id text, id text, mode text, event_id text, url text, host text, body bytea,
  attempt_count integer, redelivered boolean, fence bigint, host_slot integer, in_turn boolean,
  request_id text, traceparent text, resume_at timestamptz)
language plpgsql
set enable_seqscan to off
set enable_bitmapscan to off
set enable_hashjoin to off
set enable_mergejoin to off
set enable_sort to off
set enable_incremental_sort to off
as $$
#variable_conflict use_column
declare
  v_account text;
  v_host text;
  after_account text := p_after;
  after_host text;
  last_host text;
  -- How many slots the account may get, and how many the receiver gets.
  room integer;
  given integer;
  left_open integer := p_open;
  is_restricted boolean := false;
  -- The receivers that get slots, how many each, and how many of the receivers had their turn.
  accounts text[] := '{}';
  hosts text[] := '{}';
  slots integer[] := '{}';
  turns integer;
begin
  -- One claim at a time, so that each sees what the last one took. waitForRunningClaims takes the same lock.
  perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));

  with waking as materialized (
    select ctid as tid, leased_at
    from delivery.webhook_queue
    where not ready and coalesce(lease_until, next_attempt_at) <= p_now
    order by coalesce(lease_until, next_attempt_at)
    limit 1000
    for update skip locked
  ), woken as (
    update delivery.webhook_queue q
    set ready = true, host_slot = null, leased_at = null, lease_until = null
    from waking
    where q.ctid = waking.tid
    returning q.account_id, q.delivery_id, q.fence, waking.leased_at
  )
  -- Their leases were lost: the attempts' outcomes are unknown.
  insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
  select account_id, delivery_id, fence, leased_at from woken where leased_at is not null;

  for account_pass in 1..2 loop
    while left_open > 0 loop
      select q.account_id into v_account
      from delivery.webhook_queue q
      where q.ready and q.account_id > after_account
      order by q.account_id, q.host
      limit 1;
      exit when v_account is null or account_pass = 2 and v_account > p_after;
      after_account := v_account;
      room := least(p_quantum, left_open, 24 - delivery.busy_slots(v_account));
      is_restricted := is_restricted or room <= 0;
      last_host := coalesce(p_last ->> v_account, '');
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
          given := delivery.free_slots(v_account, v_host, p_now,
            case when v_account || ' ' || v_host = any (p_slow) then 1 else 4 end, room);
          continue when given <= 0;
          accounts := accounts || v_account;
          hosts := hosts || v_host;
          slots := slots || given;
          room := room - given;
          left_open := left_open - given;
        end loop;
        after_host := '';
      end loop;
    end loop;
    after_account := '';
  end loop;
  turns := cardinality(slots);

  if is_restricted or left_open <= 0 then
    left_open := p_limit - p_open + left_open;
    for v_account, v_host in
      select split_part(one, ' ', 1), split_part(one, ' ', 2) from unnest(p_fast) as one
    loop
      exit when left_open <= 0;
      continue when exists (
        select from unnest(accounts, hosts) as one (account, host) where (account, host) = (v_account, v_host)
      );
      room := least(left_open, 32 - delivery.busy_slots(v_account) - (
        select coalesce(sum(count), 0) from unnest(accounts, slots) as one (account, count) where account = v_account
      ));
      given := delivery.free_slots(v_account, v_host, p_now, 4, room);
      continue when given <= 0;
      accounts := accounts || v_account;
      hosts := hosts || v_host;
      slots := slots || given;
      left_open := left_open - given;
    end loop;
  end if;

  return query
  with receiver as (
    select ordinal, account_id, host, slots, case when account_id || ' ' || host = any (p_slow) then slots
        else slots * greatest(1, least(64, 1024 / sum(slots) over ())) end as capacity,
      -- Slots are numbered above those in use.
      (
        select coalesce(max(q.host_slot), 0) from delivery.webhook_queue q
        where q.account_id = one.account_id and q.host = one.host and q.host_slot is not null
      ) as last_slot
    from unnest(accounts, hosts, slots) with ordinality as one (account_id, host, slots, ordinal)
  ), due as materialized (
    select receiver.ordinal, receiver.slots, receiver.last_slot, q.tid, q.account_id, q.delivery_id, q.mode,
      q.url_sha256, q.next_attempt_at
    from receiver
    cross join lateral (
      select ctid as tid, account_id, delivery_id, mode, url_sha256, next_attempt_at
      from delivery.webhook_queue
      where ready and account_id = receiver.account_id and host = receiver.host and next_attempt_at <= p_now
      order by next_attempt_at
      limit receiver.capacity
      for update skip locked
    ) q
  ), chosen as materialized (
    select due.tid, due.ordinal, stop.at as stopped_at, due.last_slot
      + ntile(due.slots) over (partition by due.ordinal order by due.next_attempt_at) as host_slot
    from due
    -- The limit makes the planner look up row by row; without it, it may read all disabled URLs at once.
    left join lateral (
      select u.disabled_at as at from delivery.disabled_urls u
      where u.account_id = due.account_id and u.mode = due.mode and u.url_sha256 = due.url_sha256
      limit 1
    ) stop on true
  ), taken as (
    update delivery.webhook_queue q
    set ready = false, fence = q.fence + 1, host_slot = chosen.host_slot, leased_at = p_now, lease_until = p_lease_until
    from chosen
    where chosen.stopped_at is null and q.ctid = chosen.tid
    returning q.account_id, q.delivery_id, q.attempt_count, q.redelivered, q.fence, q.host_slot, q.next_attempt_at,
      q.resume_at, chosen.ordinal
  ), stopped as (
    delete from delivery.webhook_queue q
    using chosen
    where chosen.stopped_at is not null and q.ctid = chosen.tid
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
    select account_id, delivery_id, attempt_count, redelivered, fence, host_slot, next_attempt_at, resume_at, ordinal
    from taken
    union all
    select account_id, delivery_id, attempt_count, redelivered, fence, null, next_attempt_at, null, ordinal from stopped
  )
  select d.account_id, d.id, d.mode, d.event_id, d.url, d.host, d.body, c.attempt_count, c.redelivered, c.fence,
    c.host_slot, c.ordinal <= turns, d.request_id, d.traceparent, c.resume_at
  from claimed c
  -- The limit makes the planner look up row by row here too.
  cross join lateral (
    select w.account_id, w.id, w.mode, w.event_id, w.url, w.host, w.body, w.request_id, w.traceparent
    from delivery.webhook_deliveries w
    where w.account_id = c.account_id and w.id = c.delivery_id
    limit 1
  ) d
  order by c.ordinal, c.host_slot, c.next_attempt_at;
end
$$;

revoke all on function delivery.claim_deliveries from public;
grant execute on function delivery.claim_deliveries to media_delivery;
