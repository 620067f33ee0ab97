-- migrate:up

alter table gateway.accounts
  -- Unfinished generations at a time and mode; 0 means no limit.
  add column max_unfinished integer not null default 10000 check (max_unfinished >= 0);

grant update (max_unfinished) on gateway.accounts to media_gateway;

-- One row for each bucket that was ever drawn from. What a crash of Postgres forgets is a minute's quota at most,
-- so it is not logged; and every draw is an update in place.
create unlogged table gateway.rate_limits (
  account_id text not null references gateway.accounts (account_id),
  mode text not null check (mode in ('live', 'test')),
  kind text not null check (kind in ('creates', 'reads')),
  -- When the bucket is full again: full where it is past, empty where it is a minute ahead.
  full_at timestamptz not null,
  primary key (account_id, mode, kind)
) with (fillfactor = 50);

grant select, insert, update (full_at) on gateway.rate_limits to media_gateway;

-- migrate:down
