-- migrate:up

-- A pending delivery waits for its time, is ready, or stands in one of its host's lanes under a lease.
alter table delivery.webhook_deliveries
  add column ready boolean not null default false,
  add column lane smallint;

drop index delivery.webhook_deliveries_due;
create index webhook_deliveries_ready on delivery.webhook_deliveries (host, next_attempt_at) where ready;
create index webhook_deliveries_waking on delivery.webhook_deliveries ((coalesce(lease_until, next_attempt_at)))
  where next_attempt_at is not null and not ready;
create index webhook_deliveries_in_lane on delivery.webhook_deliveries (host, lane) where lane is not null;

-- An attempt is written before it is sent, and completed once: one that never was has an unknown outcome.
alter table delivery.webhook_attempts
  alter column duration_ms drop not null,
  drop constraint webhook_attempts_check,
  add constraint webhook_attempts_outcome check (
    case when duration_ms is null then num_nonnulls(status_code, error) = 0
    else num_nonnulls(status_code, error) = 1 end);
grant update (at, status_code, error, duration_ms, response_body) on delivery.webhook_attempts to media_delivery;

-- Puts ready deliveries into free lanes, host by host after `p_after` and around again, and writes their attempts as
-- started; those of a disabled URL end instead. A host has `p_lanes` lanes over all processes; a lane takes one
-- delivery, of hosts in `p_deep` up to `p_depth`, to be sent one after the other. Number and fence are one.
-- The work is one probe of an index for each host with something ready and for each row taken, however long the
-- backlog of any host is; hence no plan that reads the table may be chosen, whatever the statistics say.
create function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_after text,
  p_hosts integer, p_lanes integer, p_deep text[], p_depth integer)
returns table (account_id text, id text, mode text, event_id text, url text, host text, body bytea,
  attempt_count integer, redelivered boolean, fence bigint, lane smallint, status text, secrets json)
language plpgsql
set enable_seqscan to off
set enable_bitmapscan to off
set enable_hashjoin to off
set enable_mergejoin to off
as $$
#variable_conflict use_column
begin
  -- One claim at a time, each of its statements seeing what the last one took.
  perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));

  update delivery.webhook_deliveries d
  set ready = true, lane = null, lease_until = null
  from (
    select account_id, id
    from delivery.webhook_deliveries
    where next_attempt_at is not null and not ready and coalesce(lease_until, next_attempt_at) <= p_now
    order by coalesce(lease_until, next_attempt_at)
    limit 1000
    for update skip locked
  ) waking
  where d.account_id = waking.account_id and d.id = waking.id;

  return query
  with recursive following as (
    (select host from delivery.webhook_deliveries where ready and host > p_after order by host limit 1)
    union all
    select (select d.host from delivery.webhook_deliveries d where d.ready and d.host > f.host
      order by d.host limit 1)
    from following f where f.host is not null
  ), preceding as (
    (select host from delivery.webhook_deliveries where ready order by host limit 1)
    union all
    select (select d.host from delivery.webhook_deliveries d where d.ready and d.host > p.host
      order by d.host limit 1)
    from preceding p where p.host <= p_after
  ), turn as (
    select host from following where host is not null
    union all
    select host from preceding where host <= p_after
  ), open as materialized (
    select turn.host, free.lanes,
      case when turn.host = any(p_deep) then p_depth else 1 end * cardinality(free.lanes) as room
    from turn
    cross join lateral (
      select array_agg(one.lane) as lanes
      from generate_series(1, p_lanes) as one (lane)
      where not exists (
        select from delivery.webhook_deliveries busy where busy.host = turn.host and busy.lane = one.lane
      )
    ) free
    where free.lanes is not null
    limit p_hosts
  ), chosen as materialized (
    select first.account_id, first.id, open.lanes[1 + (first.place - 1) % cardinality(open.lanes)] as lane,
      stop.at is not null as is_stopped
    from open
    cross join lateral (
      select due.account_id, due.id, due.mode, due.url, row_number() over (order by due.next_attempt_at) as place
      from (
        select account_id, id, mode, url, next_attempt_at
        from delivery.webhook_deliveries
        where ready and host = open.host and next_attempt_at <= p_now
        order by next_attempt_at
        limit open.room
      ) due
    ) first
    -- The limit makes it one look-up a row: without it, all disabled URLs may be read at once.
    left join lateral (
      select u.disabled_at as at from delivery.disabled_urls u
      where u.account_id = first.account_id and u.mode = first.mode
        and u.url_sha256 = sha256(convert_to(first.url, 'UTF8'))
      limit 1
    ) stop on true
  ), taken as (
    update delivery.webhook_deliveries d
    set ready = false, fence = d.fence + 1,
      lane = case when chosen.is_stopped then null else chosen.lane end,
      lease_until = case when chosen.is_stopped then null else p_lease_until end,
      status = case when chosen.is_stopped then 'disabled' else d.status end,
      next_attempt_at = case when chosen.is_stopped then null else d.next_attempt_at end
    from chosen
    where d.account_id = chosen.account_id and d.id = chosen.id
      -- Said so that the rows are found by their key, not by the index of what is ready.
      and d.ready is not false
    returning d.account_id, d.id, d.mode, d.event_id, d.url, d.host, d.body, d.attempt_count, d.redelivered,
      d.fence, d.lane, d.status, d.next_attempt_at
  ), started as (
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
    select account_id, id, fence::integer, p_now from taken where status = 'pending'
  )
  select t.account_id, t.id, t.mode, t.event_id, t.url, t.host, t.body, t.attempt_count, t.redelivered, t.fence,
    t.lane, t.status, (
      select json_agg(json_build_object('number', s.number, 'secret', s.secret, 'key_id', s.key_id,
        'sealed', encode(s.sealed, 'hex')) order by s.number desc)
      from delivery.webhook_secrets s
      where s.account_id = t.account_id and s.mode = t.mode and (s.expires_at is null or s.expires_at > p_now)
    )
  from taken t
  order by t.host, t.lane, t.next_attempt_at;
end
$$;

-- migrate:down
