-- migrate:up

-- A key that is replaced by a new one expires earlier.
grant update (expires_at) on gateway.api_keys to media_gateway;

-- Where the fault of a refused request was, and what its error said, at most 300 characters. Requests of a gateway of the
-- release before have neither.
alter table gateway.request_log add column error_param text, add column error_message text;

-- `confirm_above_tokens`: the playground asks before it starts a live generation that costs more; null for never.
-- `deleted_at`: when the deletion was asked for. It can be undone for 30 days; then what names people is erased.
alter table gateway.accounts
  add column confirm_above_tokens integer check (confirm_above_tokens > 0),
  add column deleted_at timestamptz, add column erased_at timestamptz;
-- A user who is erased has no row.
alter table gateway.users add column deleted_at timestamptz;

-- `erased_at` is written by gateway.erase_account.
grant update (confirm_above_tokens, deleted_at) on gateway.accounts to media_gateway;

-- These tables are small, so that the indexes are there at once. A value may be too long for a B-tree.
-- squawk-ignore require-concurrent-index-creation
create index verifications_by_value on gateway.verifications using hash (value);
-- squawk-ignore require-concurrent-index-creation
create index accounts_to_erase on gateway.accounts (deleted_at) where deleted_at is not null and erased_at is null;
-- squawk-ignore require-concurrent-index-creation
create index users_to_erase on gateway.users (deleted_at) where deleted_at is not null;

-- migrate:down
