-- migrate:up transaction:false

-- Searches look for the id of a request in the rows that they read, and the log of requests has its own index.
drop index concurrently if exists generation.generations_by_request;

-- migrate:down
