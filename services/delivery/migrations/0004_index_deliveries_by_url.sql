-- migrate:up transaction:false

-- Lists the deliveries to a URL, by its hash, because a URL can be longer than an index entry. Its condition is there for the reason
-- that 0003 gives.
create index concurrently webhook_deliveries_listed_by_url on delivery.webhook_deliveries
  (account_id, mode, hashtextextended(url, 0), created_at, id) where url <> '';

-- migrate:down
