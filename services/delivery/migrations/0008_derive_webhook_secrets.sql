-- migrate:up

-- Secrets are derived from the master key of key_id. Those that release 1.0.0 made are random and stay sealed until they are
-- rotated; a replica of it lets webhooks wait that it cannot sign.
-- squawk-ignore ban-drop-not-null
alter table delivery.webhook_secrets alter column sealed drop not null;

-- migrate:down
