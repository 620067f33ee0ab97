-- migrate:up

-- For operators, who look over all accounts: rows lie about in the order of their creation, so a summary of ranges
-- finds the recent ones, and costs the writers nothing.
create index generations_by_age on generation.generations using brin (created_at);

-- migrate:down
