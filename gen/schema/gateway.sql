-- The schema as it is, for reading. `npm run schema` writes it; change migrations/ and functions/ instead.

create table gateway.account_requests (
  account_id text not null,
  id text not null,
  kind text not null,
  tokens bigint,
  message text not null,
  user_id text not null,
  email text not null,
  created_at timestamp with time zone not null,
  decision text,
  answer text default ''::text not null,
  decided_at timestamp with time zone,
  constraint account_requests_account_id_fkey FOREIGN KEY (account_id) REFERENCES gateway.accounts(account_id),
  constraint account_requests_check CHECK (((tokens IS NULL) = (kind <> 'tokens'::text))),
  constraint account_requests_check1 CHECK (((decided_at IS NULL) = (decision IS NULL))),
  constraint account_requests_decision_check CHECK ((decision = ANY (ARRAY['approved'::text, 'refused'::text]))),
  constraint account_requests_kind_check CHECK ((kind = ANY (ARRAY['production'::text, 'tokens'::text]))),
  constraint account_requests_pkey PRIMARY KEY (account_id, id)
);

CREATE INDEX account_requests_waiting ON gateway.account_requests USING btree (created_at, id) WHERE (decision IS NULL);
CREATE UNIQUE INDEX account_requests_open ON gateway.account_requests USING btree (account_id, kind) WHERE (decision IS NULL);
grant insert, select on gateway.account_requests to media_gateway;
grant update (answer, decided_at, decision) on gateway.account_requests to media_gateway;

create table gateway.accounts (
  account_id text not null,
  name text not null,
  production_granted boolean default false not null,
  suspended_at timestamp with time zone,
  creates_per_minute integer default 600 not null,
  reads_per_minute integer default 6000 not null,
  max_unfinished integer default 10000 not null,
  created_at timestamp with time zone not null,
  confirm_above_tokens integer,
  deleted_at timestamp with time zone,
  erased_at timestamp with time zone,
  constraint accounts_confirm_above_tokens_check CHECK ((confirm_above_tokens > 0)),
  constraint accounts_creates_per_minute_check CHECK ((creates_per_minute >= 0)),
  constraint accounts_max_unfinished_check CHECK ((max_unfinished >= 0)),
  constraint accounts_pkey PRIMARY KEY (account_id),
  constraint accounts_reads_per_minute_check CHECK ((reads_per_minute >= 0))
);

CREATE INDEX accounts_to_erase ON gateway.accounts USING btree (deleted_at) WHERE ((deleted_at IS NOT NULL) AND (erased_at IS NULL));
grant insert, select on gateway.accounts to media_gateway;
grant update (confirm_above_tokens, creates_per_minute, deleted_at, max_unfinished, name, production_granted, reads_per_minute, suspended_at) on gateway.accounts to media_gateway;

create table gateway.alert_mails (
  account_id text not null,
  event_id text not null,
  user_id text not null,
  answered_at timestamp with time zone not null,
  constraint alert_mails_pkey PRIMARY KEY (account_id, event_id, user_id)
);

CREATE INDEX alert_mails_by_time ON gateway.alert_mails USING btree (answered_at);
grant delete, insert, select on gateway.alert_mails to media_gateway;

create table gateway.api_keys (
  account_id text not null,
  id text not null,
  mode text not null,
  name text not null,
  hash bytea not null,
  prefix text not null,
  last_four text not null,
  created_at timestamp with time zone not null,
  created_by text not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  access text default 'full'::text not null,
  kinds text[],
  models text[],
  constraint api_keys_access_check CHECK ((access = ANY (ARRAY['full'::text, 'read'::text]))),
  constraint api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES gateway.accounts(account_id),
  constraint api_keys_hash_check CHECK ((length(hash) = 32)),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_kinds_check CHECK ((kinds <@ ARRAY['video'::text, 'image'::text])),
  constraint api_keys_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint api_keys_pkey PRIMARY KEY (account_id, id)
);

CREATE INDEX api_keys_listed ON gateway.api_keys USING btree (account_id, created_at DESC, id DESC);
grant insert, select on gateway.api_keys to media_gateway;
grant update (access, expires_at, kinds, last_used_at, models, name, revoked_at) on gateway.api_keys to media_gateway;

create table gateway.audit_log (
  account_id text not null,
  id text not null,
  at timestamp with time zone not null,
  actor text not null,
  user_id text,
  email text,
  action text not null,
  target text,
  mode text,
  address text,
  details jsonb not null,
  error text,
  constraint audit_log_account_id_fkey FOREIGN KEY (account_id) REFERENCES gateway.accounts(account_id),
  constraint audit_log_actor_check CHECK ((actor = ANY (ARRAY['user'::text, 'operator'::text, 'system'::text]))),
  constraint audit_log_check CHECK (((user_id IS NULL) = (actor <> 'user'::text))),
  constraint audit_log_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint audit_log_pkey PRIMARY KEY (account_id, id)
);

CREATE INDEX audit_log_by_action ON gateway.audit_log USING btree (account_id, action, at DESC, id DESC);
CREATE INDEX audit_log_by_actor ON gateway.audit_log USING btree (account_id, actor, at DESC, id DESC);
CREATE INDEX audit_log_listed ON gateway.audit_log USING btree (account_id, at DESC, id DESC);
grant insert, select on gateway.audit_log to media_gateway;

create table gateway.ended_sessions (
  token_sha256 bytea not null,
  cause text not null,
  expires_at timestamp with time zone not null,
  constraint ended_sessions_cause_check CHECK ((cause = ANY (ARRAY['password_changed'::text, 'ended_elsewhere'::text, 'ended_by_operator'::text, 'user_disabled'::text]))),
  constraint ended_sessions_pkey PRIMARY KEY (token_sha256),
  constraint ended_sessions_token_sha256_check CHECK ((length(token_sha256) = 32))
);

CREATE INDEX ended_sessions_by_end ON gateway.ended_sessions USING btree (expires_at);
grant delete, insert, select on gateway.ended_sessions to media_gateway;

create table gateway.invitations (
  account_id text not null,
  id text not null,
  email text not null,
  role text not null,
  token_hash bytea not null,
  is_mailed boolean not null,
  created_at timestamp with time zone not null,
  created_by text not null,
  expires_at timestamp with time zone not null,
  constraint invitations_account_id_email_key UNIQUE (account_id, email),
  constraint invitations_account_id_fkey FOREIGN KEY (account_id) REFERENCES gateway.accounts(account_id),
  constraint invitations_pkey PRIMARY KEY (account_id, id),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'developer'::text, 'billing'::text, 'viewer'::text]))),
  constraint invitations_token_hash_check CHECK ((length(token_hash) = 32)),
  constraint invitations_token_hash_key UNIQUE (token_hash)
);

CREATE INDEX invitations_by_email ON gateway.invitations USING btree (email, expires_at);
CREATE INDEX invitations_by_end ON gateway.invitations USING btree (expires_at);
grant delete, insert, select on gateway.invitations to media_gateway;

create table gateway.memberships (
  account_id text not null,
  user_id text not null,
  role text not null,
  joined_at timestamp with time zone not null,
  constraint memberships_account_id_fkey FOREIGN KEY (account_id) REFERENCES gateway.accounts(account_id),
  constraint memberships_pkey PRIMARY KEY (account_id, user_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'developer'::text, 'billing'::text, 'viewer'::text]))),
  constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES gateway.users(id) ON DELETE CASCADE
);

CREATE INDEX memberships_of_user ON gateway.memberships USING btree (user_id, joined_at);
grant delete, insert, select on gateway.memberships to media_gateway;
grant update (role) on gateway.memberships to media_gateway;

create table gateway.passkeys (
  id text not null,
  user_id text not null,
  name text,
  public_key text not null,
  credential_id text not null,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamp with time zone,
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES gateway.users(id) ON DELETE CASCADE
);

CREATE INDEX passkeys_of_user ON gateway.passkeys USING btree (user_id);
grant delete, insert, select, update on gateway.passkeys to media_gateway;

create unlogged table gateway.rate_limits (
  account_id text not null,
  mode text not null,
  kind text not null,
  full_at timestamp with time zone not null,
  constraint rate_limits_account_id_fkey FOREIGN KEY (account_id) REFERENCES gateway.accounts(account_id),
  constraint rate_limits_kind_check CHECK ((kind = ANY (ARRAY['creates'::text, 'reads'::text]))),
  constraint rate_limits_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint rate_limits_pkey PRIMARY KEY (account_id, mode, kind)
) with (fillfactor=50);

grant insert, select on gateway.rate_limits to media_gateway;
grant update (full_at) on gateway.rate_limits to media_gateway;

create table gateway.request_log (
  at timestamp with time zone not null,
  seq bigint default nextval('gateway.request_log_seq'::regclass) not null,
  duration_ms integer not null,
  status smallint not null,
  account_id text not null,
  mode text not null,
  key_id text not null,
  request_id text not null,
  method text not null,
  path text not null,
  error_code text,
  generation_id text,
  error_param text,
  error_message text,
  constraint request_log_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
) partition by range (at);

CREATE INDEX request_log_by_generation ON ONLY gateway.request_log USING btree (generation_id, at) WHERE (generation_id IS NOT NULL);
CREATE INDEX request_log_by_key ON ONLY gateway.request_log USING btree (key_id, at);
CREATE INDEX request_log_by_request ON ONLY gateway.request_log USING btree (request_id, at);
CREATE INDEX request_log_errors ON ONLY gateway.request_log USING btree (account_id, mode, at) WHERE (status >= 400);
CREATE INDEX request_log_listed ON ONLY gateway.request_log USING btree (account_id, mode, at);
grant insert, select on gateway.request_log to media_gateway;

create table gateway.second_factors (
  id text not null,
  user_id text not null,
  secret text not null,
  backup_codes text not null,
  verified boolean default false not null,
  failed_verification_count integer default 0 not null,
  locked_until timestamp with time zone,
  constraint second_factors_pkey PRIMARY KEY (id),
  constraint second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES gateway.users(id) ON DELETE CASCADE,
  constraint second_factors_user_id_key UNIQUE (user_id)
);

grant delete, insert, select, update on gateway.second_factors to media_gateway;

create table gateway.sessions (
  id text not null,
  user_id text not null,
  token text not null,
  expires_at timestamp with time zone not null,
  ip_address text,
  user_agent text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_key UNIQUE (token),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES gateway.users(id) ON DELETE CASCADE
);

CREATE INDEX sessions_by_end ON gateway.sessions USING btree (expires_at);
CREATE INDEX sessions_of_user ON gateway.sessions USING btree (user_id);
grant delete, insert, select, update on gateway.sessions to media_gateway;

create unlogged table gateway.sign_in_attempts (
  key text not null,
  attempts integer not null,
  last_at timestamp with time zone not null,
  next_at timestamp with time zone not null,
  constraint sign_in_attempts_pkey PRIMARY KEY (key)
);

CREATE INDEX sign_in_attempts_by_last ON gateway.sign_in_attempts USING btree (last_at);
grant delete, insert, select on gateway.sign_in_attempts to media_gateway;
grant update (attempts, last_at, next_at) on gateway.sign_in_attempts to media_gateway;

create table gateway.user_logins (
  id text not null,
  user_id text not null,
  provider_id text not null,
  provider_user_id text not null,
  password text,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at timestamp with time zone,
  refresh_token_expires_at timestamp with time zone,
  scope text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint user_logins_pkey PRIMARY KEY (id),
  constraint user_logins_provider_id_provider_user_id_key UNIQUE (provider_id, provider_user_id),
  constraint user_logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES gateway.users(id) ON DELETE CASCADE
);

CREATE INDEX user_logins_of_user ON gateway.user_logins USING btree (user_id);
grant delete, insert, select, update on gateway.user_logins to media_gateway;

create table gateway.users (
  id text not null,
  name text not null,
  email text not null,
  email_verified boolean not null,
  two_factor_enabled boolean default false not null,
  image text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint users_email_key UNIQUE (email),
  constraint users_pkey PRIMARY KEY (id)
);

CREATE INDEX users_to_erase ON gateway.users USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
grant delete, insert, select, update on gateway.users to media_gateway;

create table gateway.verifications (
  id text not null,
  identifier text not null,
  value text not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint verifications_pkey PRIMARY KEY (id)
);

CREATE INDEX verifications_by_end ON gateway.verifications USING btree (expires_at);
CREATE INDEX verifications_by_identifier ON gateway.verifications USING btree (identifier);
CREATE INDEX verifications_by_value ON gateway.verifications USING hash (value);
grant delete, insert, select, update on gateway.verifications to media_gateway;

-- function gateway.erase_account(p_account text, p_at timestamp with time zone, p_limit integer)
--   returns boolean
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_gateway

-- function gateway.forget_user(p_user text, p_after_account text, p_after_id text, p_limit integer)
--   returns TABLE(account_id text, id text)
--   security definer
--   set search_path=pg_catalog, pg_temp
--   executed by media_gateway

-- function gateway.keep_request_days(p_oldest date, p_from date, p_to date)
--   returns void
--   security definer
--   set search_path=pg_catalog, pg_temp
--   set TimeZone=UTC
--   executed by media_gateway
