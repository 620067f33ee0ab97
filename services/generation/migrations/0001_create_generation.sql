-- migrate:up

-- One row for each acknowledged generation: what its account sees of it, and what is kept. It is written when its account
-- can see a change; until it has ended, the work on it is a row of generation.tasks.
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
  -- Lists and usage are read by it. It goes with the input when the generation is deleted.
  end_user text generated always as (input ->> 'end_user') stored,
  tokens bigint not null check (tokens >= 0),
  -- The hold at billing is (id, attempt).
  attempt integer not null,
  status text not null check (status in ('pending', 'processing', 'success', 'failed', 'canceled')),
  -- Until the end its task has it.
  progress integer not null default 0 check (progress between 0 and 100),
  -- Which upstream was asked last, once it has ended; until then its task knows.
  upstream text,
  submit_token text,
  submitted_at timestamptz,
  upstream_id text,
  output jsonb not null default '[]',
  error_code text,
  error_message text,
  created_at timestamptz not null,
  started_at timestamptz,
  completed_at timestamptz,
  -- When the account deleted it. Step `delete` then takes its input and output away; the row stays.
  deleted_at timestamptz,
  -- When the client's content was taken out, and with it the ids of its upstream jobs: it was deleted, or is no longer kept.
  erased_at timestamptz,
  primary key (account_id, id),
  constraint generations_completed_check check ((completed_at is null) = (status in ('pending', 'processing'))),
  constraint generations_deleted_check check (deleted_at is null or completed_at is not null)
-- Free space keeps the few updates of a row in its page.
) with (fillfactor = 70);

-- Lists, newest first. Each filter has its index, so that the cost of a page does not grow with the history, however
-- much of it was deleted.
create index generations_listed on generation.generations
  (account_id, mode, kind, created_at desc, id desc) where deleted_at is null;
create index generations_listed_by_model on generation.generations
  (account_id, mode, kind, model, created_at desc, id desc) where deleted_at is null;
create index generations_listed_by_status on generation.generations
  (account_id, mode, kind, status, created_at desc, id desc) where deleted_at is null;

create index generations_listed_by_end_user on generation.generations
  (account_id, mode, kind, end_user, created_at desc, id desc) where deleted_at is null and end_user is not null;

-- Searched by an id that an answer or a log had. It costs 3 % of what a generation writes.
create index generations_by_request on generation.generations (account_id, request_id) where request_id is not null;

-- Operators search all accounts by age. Rows are stored about in the order of their creation, so that a BRIN index
-- finds the recent ones and costs the writers next to nothing.
create index generations_by_age on generation.generations using brin (created_at);

-- Usage of a span of days is read from the index alone.
create index generations_used_by_key on generation.generations (account_id, mode, completed_at)
  include (model, key_id, end_user, tokens) where status = 'success';

-- Retention looks for the oldest content of an account.
create index generations_with_content on generation.generations (account_id, completed_at)
  where completed_at is not null and erased_at is null and deleted_at is null;

-- The work that is not finished: a row from the first call that creates a generation until nothing is left to do for it,
-- and again for its deletion. `step` is what a worker does next, `next_step_at` when, `lease_until` and `fence` say which
-- worker may write.
create table generation.tasks (
  account_id text not null,
  id text not null,
  kind text not null check (kind in ('video', 'image')),
  mode text not null check (mode in ('live', 'test')),
  model text not null,
  tokens bigint not null check (tokens >= 0),
  attempt integer not null,
  step text not null
    check (step in ('reserve', 'void', 'queue', 'submit', 'poll', 'settle', 'notify', 'stop', 'delete')),
  progress integer not null default 0 check (progress between 0 and 100),
  fence bigint not null default 1,
  lease_until timestamptz,
  next_step_at timestamptz not null,
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
  -- The decided end, before the Tokens are captured or released. The generation's status follows it.
  settling text check (settling in ('success', 'failed', 'canceled')),
  output jsonb,
  error_code text,
  error_message text,
  cancel_requested_at timestamptz,
  created_at timestamptz not null,
  deadline_at timestamptz,
  -- What the generation will be made of once the create is acknowledged; null from then on.
  input jsonb,
  defaulted text[],
  key_id text,
  request_id text,
  traceparent text,
  primary key (account_id, id),
  -- A decision takes the task out of the steps in which its end is open.
  constraint tasks_undecided_check check (settling is null or step not in ('reserve', 'void', 'queue', 'submit', 'poll')),
  constraint tasks_input_check check ((input is not null) = (step in ('reserve', 'void')))
-- Most updates are of leases and fences, which no index has: free space lets them stay in their page.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index tasks_due on generation.tasks (next_step_at);

-- The queue of each mode and model, by account.
create index tasks_queued on generation.tasks (mode, model, account_id, created_at, id) where step = 'queue';
-- The tasks that have a slot at an upstream: counted by account, and by credential and model.
create index tasks_in_slot on generation.tasks (account_id, mode, kind)
  where step in ('submit', 'poll') and credential is not null;
create index tasks_in_slot_by_credential on generation.tasks (credential, upstream_model)
  where step in ('submit', 'poll') and credential is not null;

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

grant select, insert, update, delete on generation.tasks to media_generation;
grant select, insert, update on generation.generations to media_generation;
grant select, insert, update on generation.credentials, generation.durations, generation.content_retention
  to media_generation;
grant select, insert, update (upstream_id, upstream_sha256) on generation.submits to media_generation;

-- migrate:down
