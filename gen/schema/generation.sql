-- The schema as it is, for reading. `npm run schema` writes it; change migrations/ and functions/ instead.

create table generation.content_retention (
  account_id text not null,
  days integer,
  constraint content_retention_days_check CHECK (((days >= 2) AND (days <= 36500))),
  constraint content_retention_pkey PRIMARY KEY (account_id)
);

grant insert, select, update on generation.content_retention to media_generation;

create table generation.credentials (
  credential text not null,
  free_at timestamp with time zone not null,
  constraint credentials_pkey PRIMARY KEY (credential)
);

grant insert, select, update on generation.credentials to media_generation;

create table generation.durations (
  mode text not null,
  model text not null,
  typical_ms double precision not null,
  constraint durations_pkey PRIMARY KEY (mode, model),
  constraint durations_typical_ms_check CHECK ((typical_ms >= (0)::double precision))
);

grant insert, select, update on generation.durations to media_generation;

create table generation.generations (
  account_id text not null,
  id text not null,
  kind text not null,
  mode text not null,
  model text not null,
  key_id text,
  request_id text,
  traceparent text,
  input jsonb not null,
  defaulted text[] not null,
  end_user text default (input ->> 'end_user'::text),
  tokens bigint not null,
  attempt integer not null,
  status text not null,
  progress integer default 0 not null,
  upstream text,
  submit_token text,
  submitted_at timestamp with time zone,
  upstream_id text,
  output jsonb default '[]'::jsonb not null,
  error_code text,
  error_message text,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  completed_at timestamp with time zone,
  deleted_at timestamp with time zone,
  erased_at timestamp with time zone,
  constraint generations_completed_check CHECK (((completed_at IS NULL) = (status = ANY (ARRAY['pending'::text, 'processing'::text])))),
  constraint generations_deleted_check CHECK (((deleted_at IS NULL) OR (completed_at IS NOT NULL))),
  constraint generations_pkey PRIMARY KEY (account_id, id)
) with (fillfactor=70);

CREATE INDEX generations_by_age ON generation.generations USING brin (created_at);
CREATE INDEX generations_listed ON generation.generations USING btree (account_id, mode, kind, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX generations_listed_by_end_user ON generation.generations USING btree (account_id, mode, kind, end_user, created_at DESC, id DESC) WHERE ((deleted_at IS NULL) AND (end_user IS NOT NULL));
CREATE INDEX generations_listed_by_model ON generation.generations USING btree (account_id, mode, kind, model, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX generations_listed_by_status ON generation.generations USING btree (account_id, mode, kind, status, created_at DESC, id DESC) WHERE (deleted_at IS NULL);
CREATE INDEX generations_used_by_key ON generation.generations USING btree (account_id, mode, completed_at) INCLUDE (model, key_id, end_user, tokens) WHERE (status = 'success'::text);
CREATE INDEX generations_with_content ON generation.generations USING btree (account_id, completed_at) WHERE ((completed_at IS NOT NULL) AND (erased_at IS NULL) AND (deleted_at IS NULL));
grant insert, select, update on generation.generations to media_generation;

create table generation.pauses (
  name text not null,
  until timestamp with time zone not null,
  failures integer default 0 not null,
  fault text,
  constraint pauses_fault_check CHECK ((fault = ANY (ARRAY['auth'::text, 'billing'::text, 'config'::text, 'unavailable'::text, 'rate_limited'::text]))),
  constraint pauses_pkey PRIMARY KEY (name)
);

grant delete, insert, select, update on generation.pauses to media_generation;

create table generation.submits (
  account_id text not null,
  generation_id text not null,
  submit_token text not null,
  credential text not null,
  upstream_id text,
  upstream_sha256 bytea,
  created_at timestamp with time zone not null,
  constraint submits_pkey PRIMARY KEY (account_id, generation_id, submit_token),
  constraint submits_upstream_check CHECK ((num_nonnulls(upstream_id, upstream_sha256) = 1))
);

CREATE UNIQUE INDEX submits_by_upstream ON generation.submits USING btree (credential, COALESCE(upstream_sha256, sha256((replace(upstream_id, '\'::text, '\\'::text))::bytea)));
grant delete, insert, select on generation.submits to media_generation;
grant update (upstream_id, upstream_sha256) on generation.submits to media_generation;

create table generation.tasks (
  account_id text not null,
  id text not null,
  kind text not null,
  mode text not null,
  model text not null,
  tokens bigint not null,
  attempt integer not null,
  step text not null,
  progress integer default 0 not null,
  fence bigint default 1 not null,
  lease_until timestamp with time zone,
  next_step_at timestamp with time zone not null,
  failures integer default 0 not null,
  upstream text,
  submit_token text,
  submitted_at timestamp with time zone,
  credential text,
  upstream_model text,
  upstream_id text,
  gone_since timestamp with time zone,
  settling text,
  output jsonb,
  error_code text,
  error_message text,
  cancel_requested_at timestamp with time zone,
  created_at timestamp with time zone not null,
  deadline_at timestamp with time zone,
  input jsonb,
  defaulted text[],
  key_id text,
  request_id text,
  traceparent text,
  last_error text,
  constraint tasks_input_check CHECK (((input IS NOT NULL) = (step = ANY (ARRAY['reserve'::text, 'void'::text])))),
  constraint tasks_pkey PRIMARY KEY (account_id, id),
  constraint tasks_undecided_check CHECK (((settling IS NULL) OR (step <> ALL (ARRAY['reserve'::text, 'void'::text, 'queue'::text, 'submit'::text, 'poll'::text]))))
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

CREATE INDEX tasks_due ON generation.tasks USING btree (next_step_at);
CREATE INDEX tasks_in_slot ON generation.tasks USING btree (account_id, mode, kind) WHERE ((step = ANY (ARRAY['submit'::text, 'poll'::text])) AND (credential IS NOT NULL));
CREATE INDEX tasks_in_slot_by_credential ON generation.tasks USING btree (credential, upstream_model) WHERE ((step = ANY (ARRAY['submit'::text, 'poll'::text])) AND (credential IS NOT NULL));
CREATE INDEX tasks_queued ON generation.tasks USING btree (mode, model, account_id, created_at, id) WHERE (step = 'queue'::text);
CREATE UNIQUE INDEX tasks_by_upstream ON generation.tasks USING btree (credential, sha256((replace(upstream_id, '\'::text, '\\'::text))::bytea)) WHERE (upstream_id IS NOT NULL);
grant delete, insert, select, update on generation.tasks to media_generation;

-- function generation.assign_slots(p_mode text, p_model text, p_kind text, p_upstreams jsonb, p_account_limit integer, p_limit integer, p_at timestamp with time zone, p_lease_until timestamp with time zone, p_after text, p_moved_account text, p_moved_id text, p_moved_fence bigint, p_picture_fields text[])
--   returns TABLE(task generation.tasks, generation generation.generations, last_account text, trial_until timestamp with time zone)
--   executed by media_generation
