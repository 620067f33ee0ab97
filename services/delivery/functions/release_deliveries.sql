-- Returns deliveries to the queue where their lease was not lost: due at `p_due`, or without that ready as before.
-- `p_were_sent`: the outcome of their attempts is unknown. Planner settings as in record_attempts.
create or replace function delivery.release_deliveries(p_accounts text[], p_ids text[], p_fences bigint[],
  p_were_sent boolean, p_due timestamptz)
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
    -- Does not imply the condition of webhook_queue_in_slot, so that the rows are found by their key.
    where q.lease_until is not null
    for update of q
  ), released as (
    update delivery.webhook_queue q
    set host_slot = null, leased_at = null, lease_until = null, ready = p_due is null,
      next_attempt_at = coalesce(p_due, q.next_attempt_at)
    from leased
    where q.account_id = leased.account_id and q.delivery_id = leased.delivery_id
  )
  insert into delivery.webhook_attempts (account_id, delivery_id, number, at)
  select account_id, delivery_id, fence::integer, leased_at from leased where p_were_sent;
end
$$;

revoke all on function delivery.release_deliveries from public;
grant execute on function delivery.release_deliveries to media_delivery;
