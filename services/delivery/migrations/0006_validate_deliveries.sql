-- migrate:up
alter table delivery.webhook_deliveries validate constraint webhook_deliveries_status_check;
alter table delivery.webhook_deliveries validate constraint webhook_deliveries_due;

-- migrate:down
