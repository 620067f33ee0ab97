-- migrate:up

-- A key that is replaced by a new one expires earlier.
grant update (expires_at) on gateway.api_keys to media_gateway;

-- migrate:down
