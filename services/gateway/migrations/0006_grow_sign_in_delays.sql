-- migrate:up
drop table gateway.sign_in_attempts;

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

grant select, insert, delete, update (attempts, last_at, next_at) on gateway.sign_in_attempts to media_gateway;

-- migrate:down
