-- migrate:up transaction:false

-- An upstream's job belongs to one unfinished task. Ids may be long, so that their hash is compared.
create unique index concurrently tasks_by_upstream on generation.tasks
  (credential, sha256(replace(upstream_id, '\', '\\')::bytea)) where upstream_id is not null;

-- migrate:down
