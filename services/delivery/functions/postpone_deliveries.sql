-- Returns deliveries to the queue, due at `p_due`, where their lease was not lost; no attempt was made. Planner settings as
-- in record_attempts.
create or replace function delivery.postpone_deliveries(p_accounts text[], p_ids text[], p_fences bigint[],
  p_due timestamptz)
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
  )
  update delivery.webhook_queue q
  set host_slot = null, leased_at = null, lease_until = null, ready = false, next_attempt_at = p_due
  from claim
  where q.account_id = claim.account_id and q.delivery_id = claim.id and q.fence = claim.fence
    -- Does not imply the condition of webhook_queue_in_slot, so that the rows are found by their key.
    and q.lease_until is not null;
end
$$;

revoke all on function delivery.postpone_deliveries from public;
grant execute on function delivery.postpone_deliveries to media_delivery;
