-- migrate:up transaction:false

create index concurrently users_to_erase on gateway.users (deleted_at) where deleted_at is not null;

-- migrate:down
