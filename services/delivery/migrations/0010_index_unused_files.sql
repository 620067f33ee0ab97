-- migrate:up

-- Files that no generation uses: these expire a day after they were reserved, used ones later or never.
create index assets_unused_files on delivery.assets (account_id, expires_at)
  where expires_at - reserved_at <= interval '1 day' and delete_at is null;

-- migrate:down
