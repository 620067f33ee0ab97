-- migrate:up

-- The API key that the generation was created with; null for the playground, internal callers and earlier rows.
alter table generation.generations add column key_id text;

-- migrate:down
