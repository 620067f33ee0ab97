-- Records that a generation was deleted, and deletes its deliveries with their attempts, pending ones too. The setting
-- keeps the planner from plans that read a table.
create or replace function delivery.delete_webhooks(p_account_id text, p_generation_id text, p_at timestamptz)
returns void
language plpgsql
set enable_seqscan to off
as $$
declare
  ids text[];
  is_moved boolean := true;
begin
  -- What insert_delivery has inserted before is found below; what it inserts later sees the row that is inserted here.
  perform pg_advisory_xact_lock(hashtextextended(p_account_id || ' ' || p_generation_id, 0));
  insert into delivery.deleted_generations (account_id, generation_id, deleted_at)
  values (p_account_id, p_generation_id, p_at)
  on conflict do nothing;
  ids := array(
    select id from delivery.webhook_deliveries
    where account_id = p_account_id and mode in ('live', 'test') and generation_id = p_generation_id);
  if cardinality(ids) = 0 then
    return;
  end if;
  -- An attempt that is recorded, or a redelivery, moves a row between the two tables. It is waited for, and the row is
  -- then in the table that was looked at before.
  while is_moved loop
    delete from delivery.webhook_queue where account_id = p_account_id and delivery_id = any (ids);
    delete from delivery.finished_deliveries where account_id = p_account_id and delivery_id = any (ids);
    is_moved := found;
    delete from delivery.webhook_queue where account_id = p_account_id and delivery_id = any (ids);
    is_moved := is_moved or found;
  end loop;
  -- Without a row in the queue none can be recorded any more.
  delete from delivery.webhook_attempts where account_id = p_account_id and delivery_id = any (ids);
  delete from delivery.webhook_deliveries where account_id = p_account_id and id = any (ids);
end
$$;

revoke all on function delivery.delete_webhooks from public;
grant execute on function delivery.delete_webhooks to media_delivery;
