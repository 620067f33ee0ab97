-- migrate:up

-- The playground asks before it starts a live generation that costs more Tokens; null for never.
alter table gateway.accounts add column confirm_above_tokens integer check (confirm_above_tokens > 0);
grant update (confirm_above_tokens) on gateway.accounts to media_gateway;

-- What an error said, at most 300 characters. Requests of a gateway of the release before have none.
alter table gateway.request_log add column error_message text;

-- migrate:down
