-- migrate:up transaction:false

-- Open holds are read by time. Replicas of the release before read them by name, which is slower until they are replaced.
drop index concurrently if exists billing.holds_open;

-- migrate:down
