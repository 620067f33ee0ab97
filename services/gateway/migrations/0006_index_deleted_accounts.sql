-- migrate:up transaction:false

create index concurrently accounts_to_erase on gateway.accounts (deleted_at)
  where deleted_at is not null and erased_at is null;

-- migrate:down
