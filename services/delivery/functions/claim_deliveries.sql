-- Leases due deliveries to a sender. A receiver is a host of an account; one with leased deliveries is passed over, so that
-- the sender which has them decides alone how many of its attempts are in flight: 4. Accounts with the fewest in flight come
-- first, the others in random order. An account has at most 32 in flight, and receivers in an eighth of this sender's free
-- slots; 100 of its receivers are looked at, from a random place on. Deliveries of a disabled URL are ended instead.
-- `p_rows`: about how many deliveries, at most 256 of a receiver and at least 4. A receiver's longest due come first.
drop function if exists delivery.claim_deliveries(timestamptz, timestamptz, integer, integer);
create function delivery.claim_deliveries(p_now timestamptz, p_lease_until timestamptz, p_limit integer, p_rows integer)
returns setof delivery.webhook_deliveries
language plpgsql set enable_seqscan to off set enable_bitmapscan to off as $$
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
    select t.account_id, one.receiver from turn t cross join lateral (
      with recursive walk (receiver, due_at) as ( -- After the last receiver comes the first; it ends where it comes round.
        select hashtextextended(t.account_id || random(), 0), null::timestamptz union
        select n.* from walk w cross join lateral (
          (select hashtextextended(host, 0), next_attempt_at from delivery.webhook_deliveries
          where status = 'pending' and account_id = t.account_id and hashtextextended(host, 0) > w.receiver
          order by 1, 2 limit 1) union all
          (select hashtextextended(host, 0), next_attempt_at from delivery.webhook_deliveries
          where status = 'pending' and account_id = t.account_id order by 1, 2 limit 1) limit 1) n
      )
      select w.receiver from (select * from walk limit 101) w where w.due_at <= p_now
        and not exists (select from busy b where b.account_id = t.account_id and b.receiver = w.receiver)
      limit greatest(floor(t.capacity), 0)
    ) one limit p_limit
  ), due as materialized (
    select d.* from (select *, least(256, greatest(4, p_rows / count(*) over ())) as size from receiver) r
    cross join lateral (
      select ctid as tid, account_id, id, fence, lease_until, exists (select from delivery.webhook_urls u
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
      resume_at = case when not due.is_stopped then w.resume_at end,
      status = case when not due.is_stopped then 'pending' when w.redelivered and exists (select from delivery.webhook_attempts a
        where a.account_id = w.account_id and a.delivery_id = w.id and a.status_code between 200 and 299) then 'delivered'
        else 'disabled' end
    from due where w.ctid = due.tid returning w.*
  )
  select * from taken order by next_attempt_at;
end
$$;
-- The arguments name it, because a schema of release 1.0.0 has another function of that name.
grant execute on function delivery.claim_deliveries(timestamptz, timestamptz, integer, integer) to media_delivery;
