-- migrate:up

-- A task is inserted with its generation, which has the number of its hold. The other columns of creates that are not
-- acknowledged (input, defaulted, key_id, request_id, traceparent) and the steps `reserve` and `void` are those of the
-- release before.
-- A replica of the release before reads the number of a hold in its task, so that it is there too.
-- `last_error`: why the step failed last; it counts while `failures` is not 0.
alter table generation.tasks add column last_error text;

-- A statement reads the checks of its table anew each time. The words and sizes of columns are those of the proto; that an
-- end is decided once, and complete when it is shown, is checked.
alter table generation.tasks
  drop constraint tasks_kind_check, drop constraint tasks_mode_check, drop constraint tasks_step_check,
  drop constraint tasks_progress_check, drop constraint tasks_settling_check, drop constraint tasks_tokens_check;
alter table generation.generations
  drop constraint generations_kind_check, drop constraint generations_mode_check,
  drop constraint generations_status_check, drop constraint generations_progress_check,
  drop constraint generations_tokens_check;

-- Jobs are recorded in their tasks. The rows that replicas of the release before have written go with the content of their
-- generations; the table goes with a later release.
grant delete on generation.submits to media_generation;

-- Pauses of upstreams and of their accounts, for all replicas: `name` is "upstream <name>" or "credential <name>". With a
-- `fault` nothing is sent before `until`, and what is sent first then is the trial. Without one `failures` counts failed
-- submits in a row, and `until` spaces the submits of a credential.
-- The table `credentials` is that of the release before; it goes with a later release.
create table generation.pauses (
  name text primary key,
  until timestamptz not null,
  failures integer not null default 0,
  fault text check (fault in ('auth', 'billing', 'config', 'unavailable', 'rate_limited'))
);

grant select, insert, update, delete on generation.pauses to media_generation;

-- migrate:down
