-- migrate:up

-- Who signs in. These four tables are written by the sign-in library.
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

-- A way in: a password (hashed), or an identity at a provider.
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

-- Open ones only: an invitation that was used or withdrawn is gone.
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

-- Attempts to sign in or up, counted in windows. What a crash of Postgres forgets is one window.
create unlogged table gateway.sign_in_attempts (
  key text primary key,
  attempts integer not null,
  window_started_at timestamptz not null
);
create index sign_in_attempts_by_start on gateway.sign_in_attempts (window_started_at);

-- About when it was last used: written at most once a minute.
alter table gateway.api_keys add column last_used_at timestamptz;
create index api_keys_listed on gateway.api_keys (account_id, created_at desc, id desc);

grant select, insert, update, delete on gateway.users, gateway.sessions, gateway.user_logins, gateway.verifications
  to media_gateway;
grant select, insert, delete, update (role) on gateway.memberships to media_gateway;
grant select, insert, delete on gateway.invitations to media_gateway;
grant select, insert, delete, update (attempts, window_started_at) on gateway.sign_in_attempts to media_gateway;
grant update (name, suspended_at) on gateway.accounts to media_gateway;
grant update (name, revoked_at, last_used_at) on gateway.api_keys to media_gateway;

-- migrate:down
