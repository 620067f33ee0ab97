-- migrate:up

-- The index that usage is read from has the key, too.
create index generations_used_by_key on generation.generations (account_id, mode, completed_at)
  include (model, key_id, tokens) where status = 'success';
drop index generation.generations_used;

-- migrate:down
