-- migrate:up

-- What is to be sent stands in a small table of its own, which changes at every step; a delivery's row, with the bytes
-- to send and five indexes, is written once. A delivery is pending while it is in the queue, and has an end otherwise.
-- It waits for its time, is ready, or stands in one of its host's lanes under a lease.
create table delivery.webhook_queue (
  account_id text not null,
  delivery_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  host text not null,
  -- When the delivery was made: what lists are ordered by.
  created_at timestamptz not null,
  next_attempt_at timestamptz not null,
  ready boolean not null,
  lane smallint,
  leased_at timestamptz,
  lease_until timestamptz,
  -- Counts the claims; also the number of the attempt that a claim leads to.
  fence bigint not null default 0,
  attempt_count integer not null default 0,
  -- The account asked for this attempt: the schedule is over, and no attempt follows by itself.
  redelivered boolean not null default false,
  check (num_nonnulls(lane, leased_at, lease_until) in (0, 3)),
  check (not ready or lane is null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index webhook_queue_ready on delivery.webhook_queue (host, next_attempt_at) where ready;
create index webhook_queue_waking on delivery.webhook_queue ((coalesce(lease_until, next_attempt_at)))
  where not ready;
create index webhook_queue_in_lane on delivery.webhook_queue (host, lane) where lane is not null;
create index webhook_queue_listed on delivery.webhook_queue (account_id, mode, created_at, delivery_id);
-- The youngest index: of two that a plan made for few rows takes for equally good it is the one that is used, not the
-- one of lists, which would read all that an account has.
alter table delivery.webhook_queue add primary key (account_id, delivery_id);

create table delivery.webhook_ends (
  account_id text not null,
  delivery_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  created_at timestamptz not null,
  status text not null check (status in ('delivered', 'exhausted', 'disabled')),
  -- As the queue had them, for a delivery that comes back into it.
  fence bigint not null,
  attempt_count integer not null,
  redelivered boolean not null,
  primary key (account_id, delivery_id)
);

create index webhook_ends_listed on delivery.webhook_ends (account_id, mode, status, created_at, delivery_id);
-- What a disabled URL stopped, to be found when it is enabled again.
create index webhook_ends_stopped on delivery.webhook_ends (account_id, mode, url_sha256) where status = 'disabled';

-- Those that were claimed when this ran have lost their lease.
insert into delivery.webhook_queue (account_id, delivery_id, mode, url_sha256, host, created_at, next_attempt_at,
    ready, fence, attempt_count, redelivered)
  select account_id, id, mode, sha256(convert_to(url, 'UTF8')), host, created_at, next_attempt_at,
    ready or lane is not null, fence, attempt_count, redelivered
  from delivery.webhook_deliveries where status = 'pending';
insert into delivery.webhook_ends (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
    attempt_count, redelivered)
  select account_id, id, mode, sha256(convert_to(url, 'UTF8')), created_at, status, fence, attempt_count, redelivered
  from delivery.webhook_deliveries where status <> 'pending';
-- An attempt is written when it is over. Until now it was written by its claim, and given back it was no attempt.
delete from delivery.webhook_attempts where error = 'not_sent';

drop function delivery.claim_deliveries;
drop index delivery.webhook_deliveries_stopped;
alter table delivery.webhook_deliveries
  drop column status,
  drop column attempt_count,
  drop column next_attempt_at,
  drop column lease_until,
  drop column fence,
  drop column redelivered,
  drop column ready,
  drop column lane,
  -- As of the queue: its key is to be the youngest index.
  drop constraint webhook_deliveries_pkey,
  add primary key (account_id, id);

revoke update on delivery.webhook_deliveries from media_delivery;
grant select, insert, update, delete on delivery.webhook_queue to media_delivery;
grant select, insert, delete on delivery.webhook_ends to media_delivery;

-- Puts ready deliveries into free lanes, host by host after `p_after` and around again; those of a disabled URL end
-- instead, and have no lane in the answer. A host has `p_lanes` lanes over all processes; the lanes together take about
-- `p_rows` deliveries, none of them more than `p_depth`, and those of hosts in `p_slow` one each. A few for one host
-- share a lane, and so a connection.
-- The work is one probe of an index for each host with something ready and for each row taken, however long the
-- backlog of any host is; hence no plan that reads the table may be chosen, whatever the statistics say: they are of a
-- queue that was empty a moment ago.
create function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_after text,
  p_hosts integer, p_lanes integer, p_slow text[], p_depth integer, p_rows integer)
returns table (account_id text, id text, mode text, event_id text, url text, host text, body bytea,
  attempt_count integer, redelivered boolean, fence bigint, lane smallint)
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
  lanes smallint[];
  counts integer[];
  redeliveries boolean[];
  fences bigint[];
begin
  -- One claim at a time, each of its statements seeing what the last one took.
  perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));

  -- Changed one by one: where a statement names many, a plan made for few may read a whole index to find them.
  for waking in
    select account_id, delivery_id, fence, leased_at
    from delivery.webhook_queue
    where not ready and coalesce(lease_until, next_attempt_at) <= p_now
    order by coalesce(lease_until, next_attempt_at)
    limit 1000
    for update skip locked
  loop
    update delivery.webhook_queue q
    set ready = true, lane = null, leased_at = null, lease_until = null
    where q.account_id = waking.account_id and q.delivery_id = waking.delivery_id;
    -- What a lost lease leaves behind is an attempt of which nobody knows what came.
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
    select host, lanes, case when host = any(p_slow) then 1 else least(4, p_depth) end as few,
      cardinality(lanes) * case when host = any(p_slow) then 1
        else greatest(1, least(p_depth, p_rows / sum(cardinality(lanes)) over ()))::integer end as room
    from (
      select turn.host, free.lanes
      from turn
      cross join lateral (
        select array_agg(one.lane) as lanes
        from generate_series(1, p_lanes) as one (lane)
        where not exists (
          select from delivery.webhook_queue busy where busy.host = turn.host and busy.lane = one.lane
        )
      ) free
      where free.lanes is not null
      limit p_hosts
    ) hosts
  )
  select array_agg(first.account_id), array_agg(first.delivery_id), array_agg(case when stop.at is null then
    open.lanes[1 + (first.place - 1) / greatest(open.few, ceil(first.total / cardinality(open.lanes)::float)::integer)]
    end)
  into accounts, ids, lanes
  from open
  cross join lateral (
    select due.account_id, due.delivery_id, due.mode, due.url_sha256,
      row_number() over (order by due.next_attempt_at) as place, count(*) over () as total
    from (
      select account_id, delivery_id, mode, url_sha256, next_attempt_at
      from delivery.webhook_queue
      where ready and host = open.host and next_attempt_at <= p_now
      order by next_attempt_at
      limit open.room
    ) due
  ) first
  -- The limit makes it one look-up a row: without it, all disabled URLs may be read at once.
  left join lateral (
    select u.disabled_at as at from delivery.disabled_urls u
    where u.account_id = first.account_id and u.mode = first.mode and u.url_sha256 = first.url_sha256
    limit 1
  ) stop on true;

  -- These are found by their keys in a bitmap each, where an index scan may be of the whole index.
  perform set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true),
    set_config('enable_bitmapscan', 'on', true);
  with chosen as materialized (
    select account_id, delivery_id, lane
    from unnest(accounts, ids, lanes) as one (account_id, delivery_id, lane)
  ), taken as (
    update delivery.webhook_queue q
    set ready = false, fence = q.fence + 1, lane = chosen.lane, leased_at = p_now, lease_until = p_lease_until
    from chosen
    where chosen.lane is not null and q.account_id = chosen.account_id and q.delivery_id = chosen.delivery_id
      -- Said so that the rows are found by their key, not by the index of what is ready.
      and q.ready is not false
    returning q.account_id, q.delivery_id, q.attempt_count, q.redelivered, q.fence, q.lane, q.host, q.next_attempt_at
  ), stopped as (
    delete from delivery.webhook_queue q
    using chosen
    where chosen.lane is null and q.account_id = chosen.account_id and q.delivery_id = chosen.delivery_id
      and q.ready is not false
    returning q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.attempt_count, q.redelivered,
      q.fence, q.host, q.next_attempt_at
  ), ended as (
    insert into delivery.webhook_ends (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
      attempt_count, redelivered)
    select account_id, delivery_id, mode, url_sha256, created_at, 'disabled', fence, attempt_count, redelivered
    from stopped
  ), claimed as (
    select account_id, delivery_id, attempt_count, redelivered, fence, lane, host, next_attempt_at from taken
    union all
    select account_id, delivery_id, attempt_count, redelivered, fence, null, host, next_attempt_at from stopped
    order by host, lane, next_attempt_at
  )
  select array_agg(account_id), array_agg(delivery_id), array_agg(attempt_count), array_agg(redelivered),
    array_agg(fence), array_agg(lane)
  into accounts, ids, counts, redeliveries, fences, lanes
  from claimed;

  perform set_config('enable_indexscan', 'on', true), set_config('enable_bitmapscan', 'off', true);
  return query
  select d.account_id, d.id, d.mode, d.event_id, d.url, d.host, d.body, c.attempt_count, c.redelivered, c.fence, c.lane
  from unnest(accounts, ids, counts, redeliveries, fences, lanes) with ordinality
    as c (account_id, delivery_id, attempt_count, redelivered, fence, lane, place)
  -- The limit makes it one look-up a row here too.
  cross join lateral (
    select w.account_id, w.id, w.mode, w.event_id, w.url, w.host, w.body from delivery.webhook_deliveries w
    where w.account_id = c.account_id and w.id = c.delivery_id
    limit 1
  ) d
  order by c.place;
end
$$;

-- What came of attempts: written with what follows from each, and with what their URLs have come to. Answers for those
-- whose lease was not lost. No plan that reads a table may be chosen here either; a bitmap is of one key, where an index
-- scan may be of the whole index.
create function delivery.record_attempts(p_accounts text[], p_ids text[], p_urls text[], p_fences bigint[],
  p_ats timestamptz[], p_durations integer[], p_status_codes integer[], p_errors text[], p_bodies text[],
  p_statuses text[], p_nexts timestamptz[], p_disable_after interval)
returns table (place integer, disabled_url boolean)
language plpgsql
set enable_seqscan to off
set enable_indexscan to off
set enable_indexonlyscan to off
set enable_hashjoin to off
set enable_mergejoin to off
as $$
#variable_conflict use_column
begin
  return query
  with item as materialized (
    select place, account_id, id, url, fence, at, duration_ms, status_code, error, response_body, status,
      next_attempt_at
    from unnest(p_accounts, p_ids, p_urls, p_fences, p_ats, p_durations, p_status_codes, p_errors, p_bodies,
      p_statuses, p_nexts)
    with ordinality as one (account_id, id, url, fence, at, duration_ms, status_code, error, response_body, status,
      next_attempt_at, place)
    -- A record is made again where its answer was lost; by then the delivery may wait for its next attempt.
    where not exists (
      select from delivery.webhook_attempts a
      where a.account_id = one.account_id and a.delivery_id = one.id and a.number = one.fence
        and a.duration_ms is not null
    )
  ), gone as (
    delete from delivery.webhook_queue q
    using item
    where item.status <> 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence
    returning q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.fence,
      q.attempt_count + 1 as attempt_count, q.redelivered, item.place, item.at, item.duration_ms, item.status_code,
      item.error, item.response_body, item.status, item.url
  ), waiting as (
    update delivery.webhook_queue q
    set next_attempt_at = item.next_attempt_at, attempt_count = q.attempt_count + 1, ready = false, lane = null,
      leased_at = null, lease_until = null
    from item
    where item.status = 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence
    returning q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.fence,
      q.attempt_count, q.redelivered, item.place, item.at, item.duration_ms, item.status_code,
      item.error, item.response_body, item.status, item.url
  ), changed as materialized (
    select account_id, delivery_id, mode, url_sha256, created_at, fence, attempt_count, redelivered, place, at,
      duration_ms, status_code, error, response_body, status, url
    from gone
    union all
    select account_id, delivery_id, mode, url_sha256, created_at, fence, attempt_count, redelivered, place, at,
      duration_ms, status_code, error, response_body, status, url
    from waiting
  ), ends as (
    insert into delivery.webhook_ends (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
      attempt_count, redelivered)
    select account_id, delivery_id, mode, url_sha256, created_at, status, fence, attempt_count, redelivered
    from changed where status <> 'pending'
  ), written as (
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, error, duration_ms,
      response_body)
    select account_id, delivery_id, fence, at, status_code, error, duration_ms, response_body
    from changed
    -- The lease was lost meanwhile, so the attempt was written as unknown.
    on conflict (account_id, delivery_id, number) do update
    set at = excluded.at, status_code = excluded.status_code, error = excluded.error,
      duration_ms = excluded.duration_ms, response_body = excluded.response_body
    where webhook_attempts.duration_ms is null
  ), healed as (
    delete from delivery.failing_urls f
    using changed
    where changed.status = 'delivered' and f.account_id = changed.account_id and f.mode = changed.mode
      and f.url_sha256 = changed.url_sha256
  ), failing as (
    insert into delivery.failing_urls (account_id, mode, url_sha256, failing_since)
    select account_id, mode, url_sha256, min(at)
    from changed
    where status in ('pending', 'exhausted') and not redelivered
    group by account_id, mode, url_sha256
    on conflict (account_id, mode, url_sha256) do nothing
  ), stopped as (
    insert into delivery.disabled_urls (account_id, mode, url_sha256, url, reason, disabled_at)
    select distinct on (c.account_id, c.mode, c.url_sha256) c.account_id, c.mode, c.url_sha256, c.url,
      case c.status when 'disabled' then 'gone' else 'failing' end, c.at
    from changed c
    where c.status = 'disabled' or c.status = 'exhausted' and not c.redelivered and exists (
      select from delivery.failing_urls f
      where f.account_id = c.account_id and f.mode = c.mode and f.url_sha256 = c.url_sha256
        and f.failing_since <= c.at - p_disable_after
    )
    on conflict (account_id, mode, url_sha256) do nothing
    returning account_id, mode, url_sha256
  )
  select changed.place::integer as place, stopped.url_sha256 is not null as disabled_url
  from changed
  left join stopped on stopped.account_id = changed.account_id and stopped.mode = changed.mode
    and stopped.url_sha256 = changed.url_sha256;
end
$$;

-- Gives deliveries back, ready as before, where their lease was not lost. Plans as in record_attempts.
create function delivery.release_deliveries(p_accounts text[], p_ids text[], p_fences bigint[], p_were_sent boolean)
returns void
language plpgsql
set enable_seqscan to off
set enable_indexscan to off
set enable_indexonlyscan to off
set enable_hashjoin to off
set enable_mergejoin to off
as $$
begin
  with claim as materialized (
    select account_id, id, fence from unnest(p_accounts, p_ids, p_fences) as one (account_id, id, fence)
  ), leased as materialized (
    select q.account_id, q.delivery_id, q.fence, q.leased_at
    from claim
    join delivery.webhook_queue q
      on q.account_id = claim.account_id and q.delivery_id = claim.id and q.fence = claim.fence
    -- Said so that the rows are found by their key, not by the index of lanes.
    where q.lease_until is not null
    for update of q
  ), released as (
    update delivery.webhook_queue q
    set lane = null, leased_at = null, lease_until = null, ready = true
    from leased
    where q.account_id = leased.account_id and q.delivery_id = leased.delivery_id
  )
  insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
  select account_id, delivery_id, fence::integer, leased_at from leased where p_were_sent;
end
$$;

-- migrate:down
