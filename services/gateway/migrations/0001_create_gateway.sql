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
  -- A user's id, or 'operator'. No foreign key: it outlives the user.
  created_by text not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  -- Written at most once a minute, so it may be a minute old.
  last_used_at timestamptz,
  access text not null default 'full' check (access in ('full', 'read')),
  -- The only ones that it may create; null for all.
  kinds text[] check (kinds <@ array['video', 'image']),
  models text[],
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
  two_factor_enabled boolean not null default false,
  image text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When an operator disabled the user.
  disabled_at timestamptz
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
  role text not null check (role in ('owner', 'developer', 'billing', 'viewer')),
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
  role text not null check (role in ('owner', 'developer', 'billing', 'viewer')),
  -- SHA-256 of the link's secret part, which is not kept.
  token_hash bytea not null unique check (length(token_hash) = 32),
  -- Whether the link has left the service only by mail, and so proves the address of whoever has it.
  is_mailed boolean not null,
  created_at timestamptz not null,
  -- This is a user's id. It has no foreign key, so that it outlives the user.
  created_by text not null,
  expires_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, email)
);

create index invitations_by_email on gateway.invitations (email, expires_at);
create index invitations_by_end on gateway.invitations (expires_at);

-- Written by the sign-in library: a user's authenticator app, its secret and recovery codes encrypted.
create table gateway.second_factors (
  id text primary key,
  user_id text not null unique references gateway.users (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  -- Whether a first code has proved that the app has the secret.
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

-- Written by the sign-in library: the public halves of users' passkeys.
create table gateway.passkeys (
  id text primary key,
  user_id text not null references gateway.users (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);

create index passkeys_of_user on gateway.passkeys (user_id);

-- Attempts to sign in, and mails that were asked for. Unlogged because a crash of Postgres forgets a day of them at most.
create unlogged table gateway.sign_in_attempts (
  key text primary key,
  -- Since the last success, or since the day without an attempt.
  attempts integer not null,
  last_at timestamptz not null,
  -- The next attempt is refused before.
  next_at timestamptz not null
);

create index sign_in_attempts_by_last on gateway.sign_in_attempts (last_at);

-- Why a session was ended, for the browser that still has its cookie.
create table gateway.ended_sessions (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  cause text not null check (cause in ('password_changed', 'ended_elsewhere', 'ended_by_operator', 'user_disabled')),
  -- When the cookie ends.
  expires_at timestamptz not null
);

create index ended_sessions_by_end on gateway.ended_sessions (expires_at);

create table gateway.audit_log (
  account_id text not null references gateway.accounts (account_id),
  id text not null,
  at timestamptz not null,
  actor text not null check (actor in ('user', 'operator', 'system')),
  -- The user and their e-mail at that time. No foreign key: an entry outlives the user.
  user_id text check ((user_id is null) = (actor <> 'user')),
  email text,
  action text not null,
  target text,
  mode text check (mode in ('live', 'test')),
  address text,
  details jsonb not null,
  error text,
  primary key (account_id, id)
);

create index audit_log_listed on gateway.audit_log (account_id, at desc, id desc);
create index audit_log_by_action on gateway.audit_log (account_id, action, at desc, id desc);
create index audit_log_by_actor on gateway.audit_log (account_id, actor, at desc, id desc);

-- What users ask operators for: production access, or Tokens.
create table gateway.account_requests (
  account_id text not null references gateway.accounts (account_id),
  id text not null,
  kind text not null check (kind in ('production', 'tokens')),
  tokens bigint check ((tokens is null) = (kind <> 'tokens')),
  message text not null,
  -- The user and their e-mail at that time. No foreign key: a request outlives the user.
  user_id text not null,
  email text not null,
  created_at timestamptz not null,
  decision text check (decision in ('approved', 'refused')),
  -- What the operator says to the user.
  answer text not null default '',
  decided_at timestamptz check ((decided_at is null) = (decision is null)),
  primary key (account_id, id)
);

-- An account waits for one answer of a kind at a time.
create unique index account_requests_open on gateway.account_requests (account_id, kind) where decision is null;
create index account_requests_waiting on gateway.account_requests (created_at, id) where decision is null;

-- Who has been mailed an alert, so that nobody is mailed again when the alert comes again. Kept for a week.
create table gateway.alert_mails (
  account_id text not null,
  -- The id of the alert's event.
  event_id text not null,
  user_id text not null,
  -- When the mail server answered for good: it took the mail, or refused the address.
  answered_at timestamptz not null,
  primary key (account_id, event_id, user_id)
);

create index alert_mails_by_time on gateway.alert_mails (answered_at);

-- The log of API requests, without foreign keys: it is written in batches, behind the requests. Each day (UTC) is a partition,
-- which keep_request_days makes and drops. Columns are in the order that needs no padding.
create sequence gateway.request_log_seq cache 100;

create table gateway.request_log (
  -- When the answer ended.
  at timestamptz not null,
  -- Tells apart those of one millisecond, in no order of meaning.
  seq bigint not null default nextval('gateway.request_log_seq'),
  duration_ms integer not null,
  status smallint not null,
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  key_id text not null,
  request_id text not null,
  method text not null,
  path text not null,
  error_code text,
  generation_id text
) partition by range (at);

create index request_log_listed on gateway.request_log (account_id, mode, at);
create index request_log_errors on gateway.request_log (account_id, mode, at) where status >= 400;
create index request_log_by_key on gateway.request_log (key_id, at);
create index request_log_by_request on gateway.request_log (request_id, at);
create index request_log_by_generation on gateway.request_log (generation_id, at) where generation_id is not null;

-- The service's role deletes no account and no key, and updates only the columns named here.
grant select, insert,
    update (name, production_granted, suspended_at, creates_per_minute, reads_per_minute, max_unfinished)
  on gateway.accounts to media_gateway;
grant select, insert, update (name, revoked_at, last_used_at, access, kinds, models) on gateway.api_keys to media_gateway;
grant select, insert, update (full_at) on gateway.rate_limits to media_gateway;
grant select, insert, update, delete
  on gateway.users, gateway.sessions, gateway.user_logins, gateway.verifications, gateway.second_factors, gateway.passkeys
  to media_gateway;
grant select, insert, delete, update (role) on gateway.memberships to media_gateway;
grant select, insert, delete on gateway.invitations, gateway.ended_sessions, gateway.alert_mails to media_gateway;
grant select, insert, delete, update (attempts, last_at, next_at) on gateway.sign_in_attempts to media_gateway;
grant select, insert, update (decision, answer, decided_at) on gateway.account_requests to media_gateway;
-- Append-only: the service's role neither updates nor deletes an entry.
grant select, insert on gateway.audit_log to media_gateway;
-- Append-only as well; whole days are dropped.
grant select, insert on gateway.request_log to media_gateway;
grant usage on sequence gateway.request_log_seq to media_gateway;

-- migrate:down
