-- migrate:up transaction:false

-- Lists the deliveries of events of a type. Its condition is always true: the index is for statements only that have it too. Of
-- two indexes that seem equally good the planner takes the youngest, which must not be this one where a key is looked up.
create index concurrently webhook_deliveries_listed_by_type on delivery.webhook_deliveries
  (account_id, mode, type, created_at, id) where type <> '';

-- migrate:down
