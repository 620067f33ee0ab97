-- migrate:up

create index generations_unfinished on generation.generations (account_id, id)
  where status in ('pending', 'processing');

-- migrate:down
