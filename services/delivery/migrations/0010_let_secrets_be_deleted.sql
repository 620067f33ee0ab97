-- migrate:up

-- Those of a deleted account.
grant delete on delivery.webhook_secrets to media_delivery;

-- migrate:down
