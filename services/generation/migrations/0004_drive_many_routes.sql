-- migrate:up

-- When the intent to submit was committed: an upstream is searched for jobs of about that time.
alter table generation.generations add column submitted_at timestamptz;

-- migrate:down
