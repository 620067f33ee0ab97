-- migrate:up

-- How many bytes of outputs, thumbnails and files an account keeps in a mode, and how many it may keep. Maintenance
-- counts what was stored before.
create table delivery.storage (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  used_bytes bigint not null default 0,
  -- Null: the default of the mode. 0: no limit.
  limit_bytes bigint check (limit_bytes >= 0),
  primary key (account_id, mode)
);

grant select, insert, update on delivery.storage to media_delivery;

-- The bytes that an asset counts while it is kept.
create function delivery.kept_bytes(asset delivery.assets) returns bigint language sql immutable
return case when asset.stored_at is not null and asset.delete_at is null
  then asset.bytes + coalesce(asset.thumbnail_bytes, 0) else 0 end;

-- Counts in the transaction that changes assets, whatever statement does it; a row is stored by an update. Counters are
-- locked in one order and after the assets: a transaction locks no more of these once it has changed what they count.
create function delivery.count_storage() returns trigger language plpgsql as $$
begin
  insert into delivery.storage as s (account_id, mode, used_bytes)
  select account_id,
    -- The mode of a file is in its row. Outputs expire in test mode only.
    coalesce(
      (select f.mode from delivery.files f where f.account_id = c.account_id and f.id = c.generation_id),
      case when expires_at is null then 'live' else 'test' end
    ) as mode, sum(bytes)
  from (
    select n.account_id, n.generation_id, n.expires_at, delivery.kept_bytes(n) as bytes from new_assets n
    union all
    select o.account_id, o.generation_id, o.expires_at, -delivery.kept_bytes(o) from old_assets o
  ) as c
  where bytes <> 0
  group by 1, 2 having sum(bytes) <> 0
  order by 1, 2
  on conflict (account_id, mode) do update set used_bytes = s.used_bytes + excluded.used_bytes;
  return null;
end
$$;

create trigger assets_counted after update on delivery.assets
  referencing old table as old_assets new table as new_assets
  for each statement execute function delivery.count_storage();

-- migrate:down
