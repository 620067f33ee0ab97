-- migrate:up

-- When the deletion was asked for. It can be undone for 30 days; then what names people is erased.
alter table gateway.accounts add column deleted_at timestamptz, add column erased_at timestamptz;
-- A user who is erased has no row.
alter table gateway.users add column deleted_at timestamptz;

-- `erased_at` is written by gateway.erase_account.
grant update (deleted_at) on gateway.accounts to media_gateway;

-- migrate:down
