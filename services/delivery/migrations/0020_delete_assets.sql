-- migrate:up

-- `delete_at`: when to delete the objects; null = keep. While one works on it, until when it is alone with it.
-- `deleted_at`: since when they are gone. The row stays: what was stored is part of the account's history.
alter table delivery.assets
  add column thumbnail_bytes bigint,
  add column delete_at timestamptz,
  add column deleted_at timestamptz,
  add check (delete_at is null or stored_at is not null),
  add check (deleted_at is null or delete_at is not null);

-- From an object or a URL back to its row.
create index assets_token on delivery.assets (token);
create index assets_to_delete on delivery.assets (delete_at) where delete_at is not null and deleted_at is null;
create index assets_kept on delivery.assets (account_id, stored_at) where delete_at is null and stored_at is not null;

-- How long an account's outputs are kept; no row, or no number of days: for ever.
create table delivery.asset_retention (
  account_id text primary key,
  days integer check (days between 1 and 36500),
  set_at timestamptz not null,
  set_by text not null
);

grant select, insert, update on delivery.asset_retention to media_delivery;

-- migrate:down
