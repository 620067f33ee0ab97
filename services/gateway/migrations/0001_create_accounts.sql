-- migrate:up

create table gateway.accounts (
  account_id text primary key,
  name text not null,
  production_granted boolean not null default false,
  suspended_at timestamptz,
  -- A minute's quota; 0 means no limit.
  creates_per_minute integer not null default 600 check (creates_per_minute >= 0),
  reads_per_minute integer not null default 6000 check (reads_per_minute >= 0),
  -- Unfinished generations at a time and mode; 0 means no limit.
  max_unfinished integer not null default 10000 check (max_unfinished >= 0),
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
  -- Written at most once a minute, so it may be a minute old.
  last_used_at timestamptz,
  primary key (account_id, id)
);

create index api_keys_listed on gateway.api_keys (account_id, created_at desc, id desc);

-- One row for each token bucket that was ever drawn from. Unlogged because a crash of Postgres loses a minute's quota
-- at most. Half of each page is free, so that a draw is an update within the page.
create unlogged table gateway.rate_limits (
  account_id text not null references gateway.accounts (account_id),
  mode text not null check (mode in ('live', 'test')),
  kind text not null check (kind in ('creates', 'reads')),
  -- When the bucket is full again: full where it is past, empty where it is a minute ahead.
  full_at timestamptz not null,
  primary key (account_id, mode, kind)
) with (fillfactor = 50);

-- The users, sessions, user_logins and verifications are written by the sign-in library.
create table gateway.users (
  id text primary key,
  name text not null,
  -- In lower case.
  email text not null unique,
  email_verified boolean not null,
  image text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table gateway.sessions (
  id text primary key,
  user_id text not null references gateway.users (id) on delete cascade,
  token text not null unique,
  expires_at timestamptz not null,
  ip_address text,
  user_agent text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index sessions_of_user on gateway.sessions (user_id);
create index sessions_by_end on gateway.sessions (expires_at);

-- How a user signs in: with a password (hashed), or with an identity at a provider.
create table gateway.user_logins (
  id text primary key,
  user_id text not null references gateway.users (id) on delete cascade,
  provider_id text not null,
  provider_user_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamptz,
  refresh_token_expires_at timestamptz,
  scope text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (provider_id, provider_user_id)
);

create index user_logins_of_user on gateway.user_logins (user_id);

create table gateway.verifications (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create index verifications_by_identifier on gateway.verifications (identifier);
create index verifications_by_end on gateway.verifications (expires_at);

create table gateway.memberships (
  account_id text not null references gateway.accounts (account_id),
  user_id text not null references gateway.users (id) on delete cascade,
  role text not null check (role in ('owner', 'member')),
  joined_at timestamptz not null,
  primary key (account_id, user_id)
);

create index memberships_of_user on gateway.memberships (user_id, joined_at);

-- Open invitations only: one that was used or withdrawn is deleted.
create table gateway.invitations (
  account_id text not null references gateway.accounts (account_id),
  id text not null,
  -- In lower case.
  email text not null,
  role text not null check (role in ('owner', 'member')),
  -- SHA-256 of the link's secret part, which is not kept.
  token_hash bytea not null unique check (length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, email)
);

create index invitations_by_email on gateway.invitations (email, expires_at);
create index invitations_by_end on gateway.invitations (expires_at);

-- Attempts to sign in or up, counted in windows. Unlogged because a crash of Postgres loses one window at most.
create unlogged table gateway.sign_in_attempts (
  key text primary key,
  attempts integer not null,
  window_started_at timestamptz not null
);

create index sign_in_attempts_by_start on gateway.sign_in_attempts (window_started_at);

-- The service's role deletes no account and no key, and updates only the columns named here.
grant select, insert,
    update (name, production_granted, suspended_at, creates_per_minute, reads_per_minute, max_unfinished)
  on gateway.accounts to media_gateway;
grant select, insert, update (name, revoked_at, last_used_at) on gateway.api_keys to media_gateway;
grant select, insert, update (full_at) on gateway.rate_limits to media_gateway;
grant select, insert, update, delete on gateway.users, gateway.sessions, gateway.user_logins, gateway.verifications
  to media_gateway;
grant select, insert, delete, update (role) on gateway.memberships to media_gateway;
grant select, insert, delete on gateway.invitations to media_gateway;
grant select, insert, delete, update (attempts, window_started_at) on gateway.sign_in_attempts to media_gateway;

-- migrate:down
