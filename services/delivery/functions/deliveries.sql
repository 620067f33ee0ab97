-- Inserts a delivery that is due at once, unless its event has one already or its generation was deleted.
create or replace function delivery.insert_delivery(p_account_id text, p_id text, p_mode text, p_event_id text,
  p_type text, p_generation_id text, p_url text, p_host text, p_body bytea, p_at timestamptz,
  p_request_id text, p_traceparent text)
returns void
language plpgsql
as $$
begin
  -- A deletion that runs now is waited for; the next statement then sees it. delete_webhooks takes the same lock.
  perform pg_advisory_xact_lock_shared(hashtextextended(p_account_id || ' ' || p_generation_id, 0));
  insert into delivery.webhook_deliveries (account_id, id, mode, event_id, type, generation_id, url, host, body,
    created_at, request_id, traceparent, status, next_attempt_at)
  select p_account_id, p_id, p_mode, p_event_id, p_type, p_generation_id, p_url, p_host, p_body, p_at,
    p_request_id, p_traceparent, 'pending', p_at
  where not exists (
    select from delivery.deleted_generations
    where account_id = p_account_id and generation_id = p_generation_id
  )
  on conflict (account_id, event_id) do nothing;
end
$$;

grant execute on function delivery.insert_delivery to media_delivery;

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

grant execute on function delivery.delete_webhooks to media_delivery;
