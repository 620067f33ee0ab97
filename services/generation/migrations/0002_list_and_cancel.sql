-- migrate:up

alter table generation.generations add column cancel_requested_at timestamptz;
alter table generation.generations drop constraint generations_step_check;
alter table generation.generations add constraint generations_step_check
  check (step in ('reserve', 'void', 'submit', 'poll', 'settle', 'notify', 'stop', 'done'));

-- Lists, newest first; each filter has its index, so that no page costs more as history grows.
create index generations_listed on generation.generations
  (account_id, mode, kind, created_at desc, id desc) where status is not null;
create index generations_listed_by_model on generation.generations
  (account_id, mode, kind, model, created_at desc, id desc) where status is not null;
create index generations_listed_by_status on generation.generations
  (account_id, mode, kind, status, created_at desc, id desc) where status is not null;

-- migrate:down
