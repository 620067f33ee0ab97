-- Whether an attempt of the delivery has succeeded.
create or replace function delivery.was_delivered(p_account text, p_id text)
returns boolean
language sql stable
as $$
  select exists (
    select from delivery.webhook_attempts
    where account_id = p_account and delivery_id = p_id and status_code between 200 and 299
  )
$$;

revoke all on function delivery.was_delivered from public;
grant execute on function delivery.was_delivered to media_delivery;

-- Leases due deliveries to a sender. A receiver is a host of an account; one with leased deliveries is passed over, so that
-- the sender which has them decides alone how many of its attempts are in flight: 4. Accounts with the fewest in flight come
-- first, the others in random order. An account has at most 32 in flight, and receivers in an eighth of this sender's free
-- slots; at most 100 of its receivers are looked at, from a random one on. Deliveries of a disabled URL are ended instead.
-- `p_rows`: about how many deliveries, at most 256 of a receiver and at least 4.
create or replace function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_limit integer, p_rows integer)
returns table (account_id text, id text, mode text, event_id text, url text, host text, body bytea, attempt_count integer,
  redelivered boolean, fence bigint, request_id text, traceparent text, resume_at timestamptz, is_stopped boolean)
language plpgsql set enable_seqscan to off set enable_bitmapscan to off as $$
#variable_conflict use_column
begin
  -- One claim at a time, so that each sees what the last one took. waitForRunningClaims takes the same lock.
  perform pg_advisory_xact_lock(hashtext('delivery.claim_deliveries'));
  return query
  with recursive busy as materialized (
    select account_id, hashtextextended(host, 0) as receiver, least(count(*), 4) as flights
    from ( -- In an order that only one index has, so that no other one is read.
      select account_id, host from delivery.webhook_deliveries where lease_until > p_now order by lease_until
    ) leased group by 1, 2
  ), account as (
    (select account_id from delivery.webhook_deliveries where status = 'pending' order by 1 limit 1) union all
    select (select d.account_id from delivery.webhook_deliveries d
      where d.status = 'pending' and d.account_id > a.account_id order by 1 limit 1)
    from account a where a.account_id is not null
  ), turn as materialized (
    select a.account_id, least((32 - coalesce(sum(b.flights), 0)) / 4, greatest(p_limit / 8, 1) - count(b.flights)) as capacity
    from account a left join busy b on b.account_id = a.account_id
    where a.account_id is not null group by 1 order by coalesce(sum(b.flights), 0), random()
  ), receiver as materialized (
    select t.account_id, one.receiver, row_number() over () as ordinal from turn t cross join lateral (
      with recursive walk (receiver, due_at, start, lap, looked) as (
        select s.start, null::timestamptz, s.start, 0, 0 from (select hashtextextended(t.account_id || random(), 0)) s (start)
        union all
        select n.receiver, n.due_at, w.start, w.lap + n.laps, w.looked + 1 from walk w cross join lateral (
          (select hashtextextended(host, 0), next_attempt_at, 0 from delivery.webhook_deliveries
          where status = 'pending' and account_id = t.account_id and hashtextextended(host, 0) > w.receiver
          order by 1, 2 limit 1) union all
          (select hashtextextended(host, 0), next_attempt_at, 1 from delivery.webhook_deliveries
          where status = 'pending' and account_id = t.account_id order by 1, 2 limit 1) limit 1
        ) n (receiver, due_at, laps)
        where w.looked < 100 and (w.lap + n.laps = 0 or w.lap + n.laps = 1 and n.receiver <= w.start)
      )
      select w.receiver from walk w where w.due_at <= p_now
        and not exists (select from busy b where b.account_id = t.account_id and b.receiver = w.receiver)
      limit greatest(floor(t.capacity), 0)
    ) one limit p_limit
  ), due as materialized (
    select r.ordinal, d.* from (select *, least(256, greatest(4, p_rows / count(*) over ())) as size from receiver) r
    cross join lateral (
      select ctid as tid, account_id, id, fence, lease_until, next_attempt_at, exists (select from delivery.webhook_urls u
        where u.account_id = w.account_id and u.mode = w.mode and u.url_sha256 = sha256(convert_to(w.url, 'UTF8'))
          and u.disabled_at is not null) as is_stopped
      from delivery.webhook_deliveries w where status = 'pending' and account_id = r.account_id
        and hashtextextended(host, 0) = r.receiver and next_attempt_at <= p_now
      order by next_attempt_at limit r.size for update skip locked) d
  ), unknown as ( -- Attempts whose lease was lost.
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
    select account_id, id, fence, lease_until - (p_lease_until - p_now) from due where lease_until is not null
  ), taken as (
    update delivery.webhook_deliveries w set fence = w.fence + 1,
      lease_until = case when not due.is_stopped then p_lease_until end,
      next_attempt_at = case when not due.is_stopped then w.next_attempt_at end,
      status = case when not due.is_stopped then 'pending'
        when w.redelivered and delivery.was_delivered(w.account_id, w.id) then 'delivered' else 'disabled' end
    from due where w.ctid = due.tid
    returning w.*, due.is_stopped, due.ordinal, due.next_attempt_at as due_at
  )
  select t.account_id, t.id, t.mode, t.event_id, t.url, t.host, t.body, t.attempts, t.redelivered, t.fence, t.request_id,
    t.traceparent, t.resume_at, t.is_stopped from taken t order by t.ordinal, t.due_at;
end
$$;

revoke all on function delivery.claim_deliveries(timestamptz, timestamptz, integer, integer) from public;
grant execute on function delivery.claim_deliveries(timestamptz, timestamptz, integer, integer) to media_delivery;
