-- migrate:up

-- The request that created the generation and its trace, for the logs and spans of what is done for it later.
alter table generation.generations add column request_id text, add column traceparent text;

-- migrate:down
