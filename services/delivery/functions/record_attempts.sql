-- Records attempts: their outcomes, what follows for each delivery, and whether a URL fails, recovers or is disabled.
-- Returns a row for each attempt whose lease was not lost. The settings keep the planner from plans that read a table;
-- a bitmap is of one key, where an index scan may read the whole index.
create or replace function delivery.record_attempts(p_accounts text[], p_ids text[], p_urls text[], p_fences bigint[],
  p_ats timestamptz[], p_durations integer[], p_status_codes integer[], p_errors text[], p_bodies text[],
  p_statuses text[], p_nexts timestamptz[], p_disable_after interval)
returns table (ordinal integer, disabled_url boolean)
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
    select ordinal, account_id, id, url, fence, at, duration_ms, status_code, error, response_body, status,
      next_attempt_at
    from unnest(p_accounts, p_ids, p_urls, p_fences, p_ats, p_durations, p_status_codes, p_errors, p_bodies,
      p_statuses, p_nexts)
    with ordinality as one (account_id, id, url, fence, at, duration_ms, status_code, error, response_body, status,
      next_attempt_at, ordinal)
    -- A call is repeated when its answer was lost; by then the delivery may wait for its next attempt.
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
      q.attempt_count + 1 as attempt_count, q.redelivered, item.ordinal, item.at, item.duration_ms, item.status_code,
      item.error, item.response_body, item.status, item.url
  ), waiting as (
    update delivery.webhook_queue q
    -- The schedule counts its own attempts only.
    set next_attempt_at = item.next_attempt_at, attempt_count = q.attempt_count + (q.resume_at is null)::integer,
      resume_at = null, ready = false, host_slot = null, leased_at = null, lease_until = null
    from item
    where item.status = 'pending'
      and q.account_id = item.account_id and q.delivery_id = item.id and q.fence = item.fence
    returning q.account_id, q.delivery_id, q.mode, q.url_sha256, q.created_at, q.fence,
      q.attempt_count, q.redelivered, item.ordinal, item.at, item.duration_ms, item.status_code,
      item.error, item.response_body, item.status, item.url
  ), changed as materialized (
    select account_id, delivery_id, mode, url_sha256, created_at, fence, attempt_count, redelivered, ordinal, at,
      duration_ms, status_code, error, response_body, status, url
    from gone
    union all
    select account_id, delivery_id, mode, url_sha256, created_at, fence, attempt_count, redelivered, ordinal, at,
      duration_ms, status_code, error, response_body, status, url
    from waiting
  ), finished as (
    insert into delivery.finished_deliveries (account_id, delivery_id, mode, url_sha256, created_at, status, fence,
      attempt_count, redelivered)
    select account_id, delivery_id, mode, url_sha256, created_at,
      case when redelivered and delivery.was_delivered(account_id, delivery_id) then 'delivered' else status end, fence,
      attempt_count, redelivered
    from changed where status <> 'pending'
  ), written as (
    insert into delivery.webhook_attempts (account_id, delivery_id, number, at, status_code, error, duration_ms,
      response_body)
    select account_id, delivery_id, fence, at, status_code, error, duration_ms, response_body
    from changed
    -- The lease ended meanwhile, so that the attempt was written with an unknown outcome.
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
  select changed.ordinal::integer as ordinal, stopped.url_sha256 is not null as disabled_url
  from changed
  left join stopped on stopped.account_id = changed.account_id and stopped.mode = changed.mode
    and stopped.url_sha256 = changed.url_sha256;
end
$$;

revoke all on function delivery.record_attempts from public;
grant execute on function delivery.record_attempts to media_delivery;
