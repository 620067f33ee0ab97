-- migrate:up

-- Pauses of upstreams and of their accounts, for all replicas: `name` is "upstream <name>", "credential <name>" or "polls
-- <credential>". With a `fault` nothing is sent before `until`, and what is sent first then is the trial. Without one
-- `failures` counts failed submits in a row, and `until` spaces the submits of a credential.
-- The table `credentials` is that of the release before; it goes with a later release.
create table generation.pauses (
  name text primary key,
  until timestamptz not null,
  failures integer not null default 0,
  fault text check (fault in ('auth', 'billing', 'config', 'unavailable', 'rate_limited'))
);

grant select, insert, update, delete on generation.pauses to media_generation;

-- migrate:down
