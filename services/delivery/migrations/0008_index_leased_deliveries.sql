-- migrate:up transaction:false

-- Claims count what is in flight.
create index concurrently webhook_deliveries_leased on delivery.webhook_deliveries
  (lease_until) where lease_until is not null;

-- migrate:down
