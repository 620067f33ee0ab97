-- migrate:up

-- How long the content of an account's ended generations is kept. Without a row, or with null days, for ever.
create table generation.content_retention (
  account_id text primary key,
  days integer check (days between 2 and 36500),
  set_at timestamptz not null,
  set_by text not null
);

grant select, insert, update on generation.content_retention to media_generation;

-- When the client's content was taken out of the input, because it is no longer kept.
alter table generation.generations add column erased_at timestamptz;

create index generations_with_content on generation.generations (account_id, completed_at)
  where step = 'done' and erased_at is null and deleted_at is null;

-- migrate:down
