-- migrate:up transaction:false

-- Lists the deliveries of a status. Its condition is there for the reason that 0003 gives.
create index concurrently webhook_deliveries_listed_by_status on delivery.webhook_deliveries
  (account_id, mode, status, created_at, id) where status <> '';

-- migrate:down
