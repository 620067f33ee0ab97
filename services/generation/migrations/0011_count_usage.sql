-- migrate:up

-- Usage of a span of days is read from the index alone.
create index generations_used on generation.generations (account_id, mode, completed_at)
  include (model, tokens) where status = 'success';

-- migrate:down
