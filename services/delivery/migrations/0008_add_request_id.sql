-- migrate:up

-- The request that created the generation and its trace, for the logs and spans of the attempts.
alter table delivery.webhook_deliveries add column request_id text, add column traceparent text;

-- migrate:down
