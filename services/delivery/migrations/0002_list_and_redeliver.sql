-- migrate:up

-- True once the account asked for one more attempt: the schedule is over then, and no attempt follows by itself.
alter table delivery.webhook_deliveries add column redelivered boolean not null default false;

-- Lists, newest first; each filter has its index, so that no page costs more as history grows.
create index webhook_deliveries_listed on delivery.webhook_deliveries (account_id, mode, created_at, id);
create index webhook_deliveries_listed_by_generation on delivery.webhook_deliveries
  (account_id, mode, generation_id, created_at, id);
create index webhook_deliveries_listed_by_status on delivery.webhook_deliveries
  (account_id, mode, status, created_at, id);

-- migrate:down
