-- migrate:up

-- When the account deleted the generation. Step `delete` then takes its input and output away; the row stays.
alter table generation.generations add column deleted_at timestamptz;
alter table generation.generations drop constraint generations_step_check;
alter table generation.generations add constraint generations_step_check
  check (step in ('reserve', 'void', 'queue', 'submit', 'poll', 'settle', 'notify', 'stop', 'delete', 'done'));
alter table generation.generations add constraint generations_deleted_check
  check (deleted_at is null or status in ('success', 'failed', 'canceled'));

-- Lists leave deleted generations out, and a page costs the same however many were deleted.
drop index generation.generations_listed;
create index generations_listed on generation.generations
  (account_id, mode, kind, created_at desc, id desc) where status is not null and deleted_at is null;
drop index generation.generations_listed_by_model;
create index generations_listed_by_model on generation.generations
  (account_id, mode, kind, model, created_at desc, id desc) where status is not null and deleted_at is null;
drop index generation.generations_listed_by_status;
create index generations_listed_by_status on generation.generations
  (account_id, mode, kind, status, created_at desc, id desc) where status is not null and deleted_at is null;

-- migrate:down
