-- migrate:up transaction:false

-- Generation looks through open holds from the oldest on, and goes on where it has come to.
create index concurrently holds_open_by_time on billing.holds (created_at, account_id, mode, generation_id, attempt)
  where state = 'held';

-- migrate:down
