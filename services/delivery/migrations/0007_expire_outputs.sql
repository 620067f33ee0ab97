-- migrate:up

-- When the output is deleted, whatever its account's retention; null to keep it.
alter table delivery.assets add column expires_at timestamptz;

create index assets_expiring on delivery.assets (expires_at)
  where expires_at is not null and delete_at is null and stored_at is not null;

-- migrate:down
