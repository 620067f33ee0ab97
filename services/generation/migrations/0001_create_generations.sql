-- migrate:up

create table generation.generations (
  account_id text not null,
  id text not null,
  kind text not null check (kind in ('video', 'image')),
  mode text not null check (mode in ('live', 'test')),
  model text not null,
  -- The accepted request after defaults, and the names of the fields that were defaulted.
  input jsonb not null,
  defaulted text[] not null,
  tokens bigint not null check (tokens >= 0),
  -- The hold is (id, attempt).
  attempt integer not null,
  step text not null check (step in ('reserve', 'void', 'submit', 'poll', 'settle', 'notify', 'done')),
  -- Null until the create is acknowledged: such a row is nobody's generation yet.
  status text check (status in ('pending', 'processing', 'success', 'failed', 'canceled')),
  progress integer not null default 0 check (progress between 0 and 100),
  fence bigint not null default 1,
  lease_until timestamptz,
  next_step_at timestamptz,
  failures integer not null default 0,
  provider text,
  -- The intent to submit, committed before anything is sent; the upstream sees the token.
  submit_token text,
  upstream_id text,
  settling text check (settling in ('success', 'failed', 'canceled')),
  output jsonb not null default '[]',
  error_code text,
  error_message text,
  created_at timestamptz not null,
  started_at timestamptz,
  deadline_at timestamptz,
  completed_at timestamptz,
  primary key (account_id, id)
) with (fillfactor = 70);

create index generations_due on generation.generations (next_step_at) where next_step_at is not null;

-- Every job that an upstream is known to have accepted; an upstream id belongs to one task for ever.
create table generation.submits (
  account_id text not null,
  generation_id text not null,
  submit_token text not null,
  credential text not null,
  upstream_id text not null,
  created_at timestamptz not null,
  primary key (account_id, generation_id, submit_token),
  unique (credential, upstream_id)
);

grant select, insert, update on generation.generations to media_generation;
grant select, insert on generation.submits to media_generation;

-- migrate:down
