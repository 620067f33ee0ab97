-- migrate:up transaction:false

-- Lists the files of an account that are not deleted.
create index concurrently assets_listed_files on delivery.assets (account_id, mode, reserved_at, owner_id)
  where owner_kind = 'file' and delete_at is null;

-- migrate:down
