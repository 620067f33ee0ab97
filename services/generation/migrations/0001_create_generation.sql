-- migrate:up

-- One row for each generation, from the first call that creates it. A row is also its task: `step` is what a worker
-- does next, `next_step_at` when, `lease_until` and `fence` say which worker may write.
create table generation.generations (
  account_id text not null,
  id text not null,
  kind text not null check (kind in ('video', 'image')),
  mode text not null check (mode in ('live', 'test')),
  model text not null,
  -- The API key that it was created with; null for the playground and internal callers.
  key_id text,
  -- The request that created it and its trace, for the logs and spans of what is done for it later.
  request_id text,
  traceparent text,
  -- The accepted request after defaults, and the names of the fields that were defaulted.
  input jsonb not null,
  defaulted text[] not null,
  tokens bigint not null check (tokens >= 0),
  -- The hold at billing is (id, attempt).
  attempt integer not null,
  step text not null
    check (step in ('reserve', 'void', 'queue', 'submit', 'poll', 'settle', 'notify', 'stop', 'delete', 'done')),
  -- Null until the create is acknowledged: until then the generation is not visible to clients.
  status text check (status in ('pending', 'processing', 'success', 'failed', 'canceled')),
  progress integer not null default 0 check (progress between 0 and 100),
  fence bigint not null default 1,
  lease_until timestamptz,
  next_step_at timestamptz,
  failures integer not null default 0,
  -- This names an entry of the upstreams file.
  upstream text,
  -- The intent to submit, committed before anything is sent: the upstream receives the token, and is searched for jobs
  -- of about the time in `submitted_at`.
  submit_token text,
  submitted_at timestamptz,
  -- The upstream account whose slot the task has; null while it waits in `queue`.
  credential text,
  upstream_model text,
  upstream_id text,
  -- Since when the upstream says that it does not know the task's job; null while it knows it, or has not been asked.
  gone_since timestamptz,
  -- The decided end, before the Tokens are captured or released. `status` follows it.
  settling text check (settling in ('success', 'failed', 'canceled')),
  output jsonb not null default '[]',
  error_code text,
  error_message text,
  cancel_requested_at timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  deadline_at timestamptz,
  completed_at timestamptz,
  -- When the account deleted it. Step `delete` then takes its input and output away; the row stays.
  deleted_at timestamptz,
  -- When the client's content was taken out of the input, because it is no longer kept.
  erased_at timestamptz,
  primary key (account_id, id),
  constraint generations_deleted_check check (deleted_at is null or status in ('success', 'failed', 'canceled'))
-- Every step updates the row: free space lets the update stay in its page.
) with (fillfactor = 70);

create index generations_due on generation.generations (next_step_at) where next_step_at is not null;

-- Lists, newest first. Each filter has its index, so that the cost of a page does not grow with the history, however
-- much of it was deleted.
create index generations_listed on generation.generations
  (account_id, mode, kind, created_at desc, id desc) where status is not null and deleted_at is null;
create index generations_listed_by_model on generation.generations
  (account_id, mode, kind, model, created_at desc, id desc) where status is not null and deleted_at is null;
create index generations_listed_by_status on generation.generations
  (account_id, mode, kind, status, created_at desc, id desc) where status is not null and deleted_at is null;

-- The reconciliation with billing reads the unfinished generations of all accounts.
create index generations_unfinished on generation.generations (account_id, id)
  where status in ('pending', 'processing');

-- The queue of each mode and model, by account.
create index generations_queued on generation.generations (mode, model, account_id, created_at, id)
  where step = 'queue';
-- The tasks that have a slot at an upstream: counted by account, and by credential and model.
create index generations_in_slot on generation.generations (account_id, mode, kind)
  where step in ('submit', 'poll') and credential is not null;
create index generations_in_slot_by_credential on generation.generations (credential, upstream_model)
  where step in ('submit', 'poll') and credential is not null;

-- Operators search all accounts by age. Rows are stored about in the order of their creation, so that a BRIN index
-- finds the recent ones and costs the writers next to nothing.
create index generations_by_age on generation.generations using brin (created_at);

-- Usage of a span of days is read from the index alone.
create index generations_used_by_key on generation.generations (account_id, mode, completed_at)
  include (model, key_id, tokens) where status = 'success';

-- Retention looks for the oldest content of an account.
create index generations_with_content on generation.generations (account_id, completed_at)
  where step = 'done' and erased_at is null and deleted_at is null;

-- Every job that an upstream is known to have accepted. Append-only; an upstream id belongs to one task for ever. It may
-- carry what was asked, or lead to it: where the content is deleted only its SHA-256 stays, so that the job is never taken
-- for another task's.
create table generation.submits (
  account_id text not null,
  generation_id text not null,
  submit_token text not null,
  credential text not null,
  upstream_id text,
  upstream_sha256 bytea,
  created_at timestamptz not null,
  primary key (account_id, generation_id, submit_token),
  constraint submits_upstream_check check (num_nonnulls(upstream_id, upstream_sha256) = 1)
);

create unique index submits_by_upstream on generation.submits
  (credential, coalesce(upstream_sha256, sha256(replace(upstream_id, '\', '\\')::bytea)));

-- Before `free_at` nothing more is sent with this credential: it spaces submits, and keeps a Retry-After.
create table generation.credentials (
  credential text primary key,
  free_at timestamptz not null
);

-- How long a model's videos took lately, from acceptance to success: a moving average.
create table generation.durations (
  mode text not null,
  model text not null,
  typical_ms double precision not null check (typical_ms >= 0),
  primary key (mode, model)
);

-- How long the content of an account's ended generations is kept. Without a row, or with null days, for ever.
create table generation.content_retention (
  account_id text primary key,
  days integer check (days between 2 and 36500)
);

-- Workers delete the rows of creates that were undone a day ago.
grant select, insert, update, delete on generation.generations to media_generation;
grant select, insert, update on generation.credentials, generation.durations, generation.content_retention
  to media_generation;
grant select, insert, update (upstream_id, upstream_sha256) on generation.submits to media_generation;

-- migrate:down
