-- migrate:up

-- One row for each output of a generation. The token is fixed before the first upload, so that a repeated copy writes
-- the same object again; the rest is known once the object is stored.
create table delivery.assets (
  account_id text not null,
  generation_id text not null,
  position integer not null check (position >= 0),
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
  reserved_at timestamptz not null,
  stored_at timestamptz,
  -- When to delete the objects; null to keep them. While a worker deletes them, the end of its lease.
  delete_at timestamptz,
  -- When the objects were deleted. The row stays: what was stored is part of the account's history.
  deleted_at timestamptz,
  primary key (account_id, generation_id, position),
  check ((stored_at is null) = (num_nulls(key, content_type, width, height, bytes, sha256) = 6)),
  check (stored_at is null or num_nulls(key, content_type, width, height, bytes, sha256) = 0),
  check (delete_at is null or stored_at is not null),
  check (deleted_at is null or delete_at is not null)
);

-- From an object or a URL back to its row.
create index assets_token on delivery.assets (token);
create index assets_to_delete on delivery.assets (delete_at) where delete_at is not null and deleted_at is null;
-- Retention looks for the oldest outputs of an account that are kept.
create index assets_kept on delivery.assets (account_id, stored_at) where delete_at is null and stored_at is not null;

-- How long an account's outputs are kept. Without a row, or with null days, they are kept for ever.
create table delivery.asset_retention (
  account_id text primary key,
  days integer check (days between 1 and 36500),
  set_at timestamptz not null,
  set_by text not null
);

-- The secret with the highest number signs; older ones sign as well until they expire.
create table delivery.webhook_secrets (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  number integer not null check (number >= 1),
  -- Encrypted in `sealed`, with the key that `key_id` names. A plain `secret` is encrypted when the service starts.
  secret text,
  key_id text,
  sealed bytea,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (account_id, mode, number),
  constraint webhook_secrets_kept_once check (num_nonnulls(secret, sealed) = 1),
  constraint webhook_secrets_key_named check ((key_id is null) = (sealed is null))
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
  host_slot smallint,
  leased_at timestamptz,
  lease_until timestamptz,
  -- Counts the claims; also the number of the attempt that a claim leads to.
  fence bigint not null default 0,
  attempt_count integer not null default 0,
  -- The account asked for this attempt: the schedule is over, and no further attempt is planned.
  redelivered boolean not null default false,
  check (num_nonnulls(host_slot, leased_at, lease_until) in (0, 3)),
  check (not ready or host_slot is null)
-- A row changes several times and is deleted soon: free space keeps updates in their page, and a vacuum is due after a
-- number of dead rows, whatever the size of the table.
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index webhook_queue_ready on delivery.webhook_queue (host, next_attempt_at) where ready;
create index webhook_queue_waking on delivery.webhook_queue ((coalesce(lease_until, next_attempt_at)))
  where not ready;
create index webhook_queue_in_slot on delivery.webhook_queue (host, host_slot) where host_slot is not null;
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

-- The service's role deletes no asset, secret, delivery or attempt, and never changes a delivery.
grant select, insert, update on delivery.assets, delivery.asset_retention, delivery.webhook_secrets to media_delivery;
grant select, insert on delivery.webhook_deliveries to media_delivery;
grant select, insert, update, delete on delivery.webhook_queue to media_delivery;
grant select, insert, delete on delivery.finished_deliveries, delivery.disabled_urls, delivery.failing_urls
  to media_delivery;
grant select, insert, update (at, status_code, error, duration_ms, response_body) on delivery.webhook_attempts
  to media_delivery;

-- migrate:down
