-- migrate:up

create table gateway.accounts (
  account_id text primary key,
  name text not null,
  production_granted boolean not null default false,
  suspended_at timestamptz,
  -- A minute's quota; 0 means no limit.
  creates_per_minute integer not null default 600 check (creates_per_minute >= 0),
  reads_per_minute integer not null default 6000 check (reads_per_minute >= 0),
  created_at timestamptz not null
);

create table gateway.api_keys (
  account_id text not null references gateway.accounts (account_id),
  id text not null,
  mode text not null check (mode in ('live', 'test')),
  name text not null,
  -- SHA-256 of the key; the key itself is not kept.
  hash bytea not null unique check (length(hash) = 32),
  prefix text not null,
  last_four text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (account_id, id)
);

grant select, insert on gateway.accounts, gateway.api_keys to media_gateway;
grant update (production_granted, creates_per_minute, reads_per_minute) on gateway.accounts to media_gateway;

-- migrate:down
