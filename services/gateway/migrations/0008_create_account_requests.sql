-- migrate:up
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

grant select, insert on gateway.account_requests to media_gateway;
grant update (decision, answer, decided_at) on gateway.account_requests to media_gateway;

-- migrate:down
