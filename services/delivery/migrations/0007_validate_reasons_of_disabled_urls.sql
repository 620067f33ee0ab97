-- migrate:up
alter table delivery.disabled_urls validate constraint disabled_urls_reason_check;

-- migrate:down
