-- migrate:up transaction:false

-- Lists and counts the deliveries that fail: pending ones of which an attempt was made.
create index concurrently webhook_queue_failing on delivery.webhook_queue (account_id, mode, created_at, delivery_id)
  where attempt_count > 0;

-- migrate:down
