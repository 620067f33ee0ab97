-- migrate:up

-- Since when the upstream says that it does not know the task's job; null while it knows it, or has not been asked.
alter table generation.generations add column gone_since timestamptz;

-- migrate:down
