-- migrate:up

-- Why the step failed last; it counts while `failures` is not 0.
alter table generation.tasks add column last_error text;

-- migrate:down
