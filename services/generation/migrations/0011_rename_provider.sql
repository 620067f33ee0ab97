-- migrate:up

-- It names an upstream of the upstreams file; a provider is the code for a vendor's API.
alter table generation.generations rename column provider to upstream;

-- migrate:down
