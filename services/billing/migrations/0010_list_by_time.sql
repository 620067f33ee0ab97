-- migrate:up

-- The entries of a span of time, for downloads and statements.
create index entries_by_time on billing.entries (account_id, mode, created_at, sequence);

-- migrate:down
