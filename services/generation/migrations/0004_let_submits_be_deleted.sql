-- migrate:up

-- Jobs are recorded in their tasks. The rows that replicas of the release before have written go with the content of their
-- generations; the table goes with a later release.
grant delete on generation.submits to media_generation;

-- migrate:down
