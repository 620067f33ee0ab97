-- migrate:up

-- A task in `queue` waits for a place; it has one from the time that `credential` is set until it is settled.
alter table generation.generations
  -- When the intent to submit was committed: an upstream is searched for jobs of about that time.
  add column submitted_at timestamptz,
  add column credential text,
  add column upstream_model text;
alter table generation.generations drop constraint generations_step_check;
alter table generation.generations add constraint generations_step_check
  check (step in ('reserve', 'void', 'queue', 'submit', 'poll', 'settle', 'notify', 'stop', 'done'));

create index generations_queued on generation.generations (mode, model, account_id, created_at, id)
  where step = 'queue';
create index generations_placed on generation.generations (account_id, mode, kind)
  where step in ('submit', 'poll') and credential is not null;
create index generations_placed_upstream on generation.generations (credential, upstream_model)
  where step in ('submit', 'poll') and credential is not null;

-- Before `free_at` nothing more is sent with this credential: it paces submits, and keeps a Retry-After.
create table generation.credentials (
  credential text primary key,
  free_at timestamptz not null
);

-- How long a model's videos have taken lately, from acceptance to success.
create table generation.durations (
  mode text not null,
  model text not null,
  typical_ms double precision not null check (typical_ms >= 0),
  primary key (mode, model)
);

grant select, insert, update on generation.credentials, generation.durations to media_generation;

-- migrate:down
