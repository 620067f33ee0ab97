-- migrate:up
-- A user's id, or 'operator'; null for a first secret, which the service makes, and for what was made before.
alter table delivery.webhook_secrets add column created_by text;

-- migrate:down
