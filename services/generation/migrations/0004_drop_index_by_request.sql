-- migrate:up transaction:false

-- Searches look for the id of a request in the rows that they read, and the log of requests has its own index. Replicas of
-- the release before find a generation by its request more slowly until they are replaced.
drop index concurrently if exists generation.generations_by_request;

-- migrate:down
