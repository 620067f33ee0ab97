-- migrate:up

-- An id of an upstream's job may carry what was asked, or lead to it. Of generations whose content is deleted only its
-- SHA-256 stays, so that the job is never taken for another task's.
alter table generation.submits add column upstream_sha256 bytea;
alter table generation.submits alter column upstream_id drop not null;
alter table generation.submits add constraint submits_upstream_check
  check (num_nonnulls(upstream_id, upstream_sha256) = 1);
create unique index submits_by_upstream on generation.submits
  (credential, coalesce(upstream_sha256, sha256(replace(upstream_id, '\', '\\')::bytea)));
alter table generation.submits drop constraint submits_credential_upstream_id_key;
grant update (upstream_id, upstream_sha256) on generation.submits to media_generation;

with erased as (
  update generation.generations set upstream_id = null, submit_token = null
  where (deleted_at is not null or erased_at is not null) and step = 'done'
  returning account_id, id
)
update generation.submits s
set upstream_id = null, upstream_sha256 = sha256(replace(s.upstream_id, '\', '\\')::bytea)
from erased
where s.account_id = erased.account_id and s.generation_id = erased.id;

-- migrate:down
