-- Records that a generation was deleted, and deletes its deliveries with their attempts, pending ones too.
create or replace function delivery.delete_webhooks(p_account_id text, p_generation_id text, p_at timestamptz)
returns void
language plpgsql
set enable_seqscan to off
as $$
declare
  ids text[];
begin
  -- What insert_delivery has inserted before is found below; what it inserts later sees the row that is inserted here.
  perform pg_advisory_xact_lock(hashtextextended(p_account_id || ' ' || p_generation_id, 0));
  insert into delivery.deleted_generations (account_id, generation_id, deleted_at)
  values (p_account_id, p_generation_id, p_at)
  on conflict do nothing;
  with deleted as (
    delete from delivery.webhook_deliveries
    where account_id = p_account_id and mode in ('live', 'test') and generation_id = p_generation_id
    returning id
  )
  select array_agg(id) into ids from deleted;
  -- Without its delivery no attempt can be recorded any more.
  delete from delivery.webhook_attempts where account_id = p_account_id and delivery_id = any (ids);
end
$$;

revoke all on function delivery.delete_webhooks from public;
grant execute on function delivery.delete_webhooks to media_delivery;
