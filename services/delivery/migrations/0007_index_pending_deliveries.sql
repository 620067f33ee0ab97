-- migrate:up transaction:false

-- Claims look for due receivers, which are hosts of accounts. By the hash of the host a random one is found at once.
create index concurrently webhook_deliveries_pending on delivery.webhook_deliveries
  (account_id, hashtextextended(host, 0), next_attempt_at) where status = 'pending';

-- migrate:down
