-- migrate:up

-- One row for each output of a generation and for each picture that a client sent. The token is fixed before the first
-- upload, so that a repeated copy writes the same object again; the rest is known once the object is stored.
create table delivery.assets (
  account_id text not null,
  -- The id of the generation, or of the file in delivery.files.
  owner_id text not null,
  owner_kind text not null check (owner_kind in ('generation', 'file')),
  position integer not null check (position >= 0),
  mode text not null check (mode in ('live', 'test')),
  token text not null,
  key text,
  thumbnail_key text,
  content_type text,
  width integer,
  height integer,
  duration_seconds double precision,
  bytes bigint,
  thumbnail_bytes bigint,
  sha256 text,
  -- The mark of AI-generated content in the stored object; null for pictures that clients sent.
  provenance text check (provenance in ('c2pa', 'iptc', 'none')),
  reserved_at timestamptz not null,
  -- Until when a copy of the output may be running; null when none is.
  copying_until timestamptz,
  stored_at timestamptz,
  -- Since when nothing is stored here any more: the generation ended without success, or was deleted, before.
  discarded_at timestamptz,
  -- Whether a generation uses the file (delivery.file_uses). Uses and releases set it, as they set when the file expires.
  is_used boolean not null default false,
  -- When the output is deleted, whatever its account's retention; null to keep it.
  expires_at timestamptz,
  -- When to delete the objects; null to keep them. While a worker deletes them, the end of its lease.
  delete_at timestamptz,
  -- When the objects were deleted. The row stays: what was stored is part of the account's history.
  deleted_at timestamptz,
  primary key (account_id, owner_id, position),
  check ((stored_at is null) = (num_nulls(key, content_type, width, height, bytes, sha256) = 6)),
  check (stored_at is null or num_nulls(key, content_type, width, height, bytes, sha256) = 0),
  check (discarded_at is null or stored_at is null),
  check (not is_used or owner_kind = 'file'),
  check (delete_at is null or stored_at is not null),
  check (deleted_at is null or delete_at is not null)
);

-- From an object or a URL back to its row.
create index assets_token on delivery.assets (token);
create index assets_to_delete on delivery.assets (delete_at) where delete_at is not null and deleted_at is null;
-- Retention looks for the oldest outputs of an account that are kept.
create index assets_kept on delivery.assets (account_id, stored_at) where delete_at is null and stored_at is not null;
create index assets_expiring on delivery.assets (expires_at)
  where expires_at is not null and delete_at is null and stored_at is not null;
-- A new file counts those of its account and mode that no generation uses.
create index assets_unused_files on delivery.assets (account_id, mode, expires_at)
  where owner_kind = 'file' and not is_used and delete_at is null;

-- Pictures that clients sent. Their bytes are the asset that they own.
create table delivery.files (
  account_id text not null,
  id text not null,
  sha256 text not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);

-- Which generations need which files, with the number of the attempt to create them.
create table delivery.file_uses (
  account_id text not null,
  generation_id text not null,
  file_id text not null,
  attempt integer not null check (attempt >= 1),
  primary key (account_id, generation_id, file_id)
);

create index file_uses_by_file on delivery.file_uses (account_id, file_id);

-- How many bytes of outputs, thumbnails and files an account keeps in a mode, and how many it may keep.
create table delivery.storage (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  used_bytes bigint not null default 0,
  -- Null: the default of the mode. 0: no limit.
  limit_bytes bigint check (limit_bytes >= 0),
  primary key (account_id, mode)
);

-- The bytes that an asset counts while it is kept.
create function delivery.kept_bytes(asset delivery.assets) returns bigint language sql immutable
return case when asset.stored_at is not null and asset.delete_at is null
  then asset.bytes + coalesce(asset.thumbnail_bytes, 0) else 0 end;

-- Counts in the transaction that changes assets, whatever statement does it; a row is stored by an update. Counters are
-- locked in one order and after the assets: a transaction locks no more of these once it has changed what they count.
create function delivery.count_storage() returns trigger language plpgsql as $$
begin
  insert into delivery.storage as s (account_id, mode, used_bytes)
  select account_id, mode, sum(bytes)
  from (
    select n.account_id, n.mode, delivery.kept_bytes(n) as bytes from new_assets n
    union all
    select o.account_id, o.mode, -delivery.kept_bytes(o) from old_assets o
  ) as c
  where bytes <> 0
  group by account_id, mode having sum(bytes) <> 0
  order by account_id, mode
  on conflict (account_id, mode) do update set used_bytes = s.used_bytes + excluded.used_bytes;
  return null;
end
$$;

create trigger assets_counted after update on delivery.assets
  referencing old table as old_assets new table as new_assets
  for each statement execute function delivery.count_storage();

-- Generations whose outputs must not be stored any more, so that a late copy leaves nothing behind.
create table delivery.discarded_outputs (
  account_id text not null,
  generation_id text not null,
  discarded_at timestamptz not null,
  primary key (account_id, generation_id)
);

create index discarded_outputs_by_age on delivery.discarded_outputs using brin (discarded_at);

-- How long an account's outputs are kept. Without a row, or with null days, they are kept for ever.
create table delivery.asset_retention (
  account_id text primary key,
  days integer check (days between 1 and 36500)
);

-- The secret with the highest number signs; older ones sign as well until they expire.
create table delivery.webhook_secrets (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  number integer not null check (number >= 1),
  -- Encrypted in `sealed`, with the key that `key_id` names.
  key_id text not null,
  sealed bytea not null,
  created_at timestamptz not null,
  -- A user's id, or 'operator'; null for a first secret, which the service makes.
  created_by text,
  expires_at timestamptz,
  primary key (account_id, mode, number)
);

-- A replaced key: finds the secrets that are not encrypted with the new one.
create index webhook_secrets_by_key on delivery.webhook_secrets (key_id, account_id, mode, number);

-- One row for each event, with the bytes to send. Written once: what changes with every attempt is in `webhook_queue`,
-- so that an attempt does not rewrite a wide row and its indexes. A delivery is in exactly one of `webhook_queue`
-- (pending) and `finished_deliveries`.
create table delivery.webhook_deliveries (
  account_id text not null,
  id text not null,
  mode text not null check (mode in ('live', 'test')),
  event_id text not null,
  type text not null,
  generation_id text,
  url text not null,
  -- The URL's host and port: the limit of attempts in flight counts by it.
  host text not null,
  -- The exact bytes that every attempt sends.
  body bytea not null,
  -- The request that created the generation and its trace, for the logs and spans of the attempts.
  request_id text,
  traceparent text,
  created_at timestamptz not null,
  unique (account_id, event_id)
) with (fillfactor = 80);

create index webhook_deliveries_listed on delivery.webhook_deliveries (account_id, mode, created_at, id);
create index webhook_deliveries_listed_by_generation on delivery.webhook_deliveries
  (account_id, mode, generation_id, created_at, id);
-- Created last: of two indexes that seem equally good the planner takes the youngest. For a few rows by their keys
-- that must not be the index of lists, which would read all deliveries of an account.
alter table delivery.webhook_deliveries add primary key (account_id, id);

-- The pending deliveries: small rows that change at every step. A delivery waits for its time, is ready, or has one of
-- its host's slots under a lease.
create table delivery.webhook_queue (
  account_id text not null,
  delivery_id text not null,
  mode text not null,
  -- A URL can be longer than an index entry, so its digest is the key.
  url_sha256 bytea not null,
  host text not null,
  -- Of the delivery: lists are ordered by it.
  created_at timestamptz not null,
  next_attempt_at timestamptz not null,
  ready boolean not null,
  -- Numbers the slots in use of a host.
  host_slot integer,
  leased_at timestamptz,
  lease_until timestamptz,
  -- Counts the claims; also the number of the attempt that a claim leads to.
  fence bigint not null default 0,
  attempt_count integer not null default 0,
  -- The account asked for this attempt: the schedule is over, and no further attempt is planned.
  redelivered boolean not null default false,
  -- The account asked for this attempt too, while the schedule goes on: when the next one of the schedule is due.
  resume_at timestamptz,
  check (num_nonnulls(host_slot, leased_at, lease_until) in (0, 3)),
  check (not ready or host_slot is null)
-- A row changes several times and is deleted soon: free space keeps updates in their page, and a vacuum is due after a
-- number of dead rows, whatever the size of the table.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Claims give slots to accounts in turn, and to the hosts of an account in turn.
create index webhook_queue_ready on delivery.webhook_queue (account_id, host, next_attempt_at) where ready;
create index webhook_queue_waking on delivery.webhook_queue ((coalesce(lease_until, next_attempt_at)))
  where not ready;
create index webhook_queue_in_slot on delivery.webhook_queue (account_id, host, host_slot) where host_slot is not null;
create index webhook_queue_listed on delivery.webhook_queue (account_id, mode, created_at, delivery_id);
-- Created last, as the key of webhook_deliveries is.
alter table delivery.webhook_queue add primary key (account_id, delivery_id);

-- The deliveries that are not pending, with what the queue needs when one is sent again.
create table delivery.finished_deliveries (
  account_id text not null,
  delivery_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  created_at timestamptz not null,
  status text not null check (status in ('delivered', 'exhausted', 'disabled')),
  fence bigint not null,
  attempt_count integer not null,
  redelivered boolean not null,
  primary key (account_id, delivery_id)
);

create index finished_deliveries_listed on delivery.finished_deliveries
  (account_id, mode, status, created_at, delivery_id);
-- What a disabled URL stopped becomes due when the URL is enabled.
create index finished_deliveries_disabled on delivery.finished_deliveries (account_id, mode, url_sha256)
  where status = 'disabled';

-- Written when an attempt is over, with its outcome; without one where the sender lost its lease meanwhile, so that the
-- outcome is unknown.
create table delivery.webhook_attempts (
  account_id text not null,
  delivery_id text not null,
  number integer not null,
  at timestamptz not null,
  status_code integer,
  error text,
  duration_ms integer,
  response_body text,
  primary key (account_id, delivery_id, number),
  constraint webhook_attempts_outcome check (
    case when duration_ms is null then num_nonnulls(status_code, error) = 0
    else num_nonnulls(status_code, error) = 1 end)
);

-- URLs to which nothing is sent: they answered 410 (`gone`), or only failed for days (`failing`).
create table delivery.disabled_urls (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  url_sha256 bytea not null,
  url text not null,
  reason text not null default 'gone' check (reason in ('gone', 'failing')),
  disabled_at timestamptz not null,
  primary key (account_id, mode, url_sha256)
);

create index disabled_urls_listed on delivery.disabled_urls (account_id, mode, disabled_at, url_sha256);

-- URLs whose last attempt failed, since the first failure that no success followed.
create table delivery.failing_urls (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  url_sha256 bytea not null,
  failing_since timestamptz not null,
  primary key (account_id, mode, url_sha256)
);

-- Generations that their accounts deleted: no webhook of them is accepted any more, however late its event comes.
create table delivery.deleted_generations (
  account_id text not null,
  generation_id text not null,
  deleted_at timestamptz not null,
  primary key (account_id, generation_id)
);

create index deleted_generations_by_age on delivery.deleted_generations using brin (deleted_at);

-- The service's role deletes no asset, file or secret, and never changes a delivery.
grant select, insert, update
  on delivery.assets, delivery.storage, delivery.asset_retention, delivery.webhook_secrets to media_delivery;
grant select, insert on delivery.files to media_delivery;
grant select, insert, update, delete on delivery.file_uses, delivery.webhook_queue to media_delivery;
grant select, insert, delete on delivery.discarded_outputs, delivery.webhook_deliveries, delivery.finished_deliveries,
  delivery.disabled_urls, delivery.failing_urls, delivery.deleted_generations to media_delivery;
grant select, insert, delete, update (at, status_code, error, duration_ms, response_body)
  on delivery.webhook_attempts to media_delivery;

-- migrate:down
