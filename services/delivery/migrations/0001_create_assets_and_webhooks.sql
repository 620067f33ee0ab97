-- migrate:up

-- One stored output of a generation. The token is fixed before the first upload, so that a repeated copy
-- writes the same object again; the rest is known once the object is stored.
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
  sha256 text,
  reserved_at timestamptz not null,
  stored_at timestamptz,
  primary key (account_id, generation_id, position),
  check ((stored_at is null) = (num_nulls(key, content_type, width, height, bytes, sha256) = 6)),
  check (stored_at is null or num_nulls(key, content_type, width, height, bytes, sha256) = 0)
);

-- The newest number signs; older ones sign along until they expire.
create table delivery.webhook_secrets (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  number integer not null check (number >= 1),
  secret text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (account_id, mode, number)
);

create table delivery.webhook_deliveries (
  account_id text not null,
  id text not null,
  mode text not null check (mode in ('live', 'test')),
  event_id text not null,
  type text not null,
  generation_id text,
  url text not null,
  -- The URL's host and port: what the limit of attempts in flight counts by.
  host text not null,
  -- The exact bytes that every attempt sends.
  body bytea not null,
  status text not null check (status in ('pending', 'delivered', 'exhausted', 'disabled')),
  attempt_count integer not null default 0,
  next_attempt_at timestamptz,
  lease_until timestamptz,
  fence bigint not null default 0,
  created_at timestamptz not null,
  primary key (account_id, id),
  unique (account_id, event_id),
  check ((status = 'pending') = (next_attempt_at is not null))
) with (fillfactor = 80);

create index webhook_deliveries_due on delivery.webhook_deliveries (next_attempt_at)
  where next_attempt_at is not null;

create table delivery.webhook_attempts (
  account_id text not null,
  delivery_id text not null,
  number integer not null,
  at timestamptz not null,
  status_code integer,
  error text,
  duration_ms integer not null,
  response_body text,
  primary key (account_id, delivery_id, number),
  check ((status_code is null) <> (error is null))
);

-- URLs that answered 410. A URL can be longer than an index entry, so its digest is the key.
create table delivery.disabled_urls (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  url_sha256 bytea not null,
  url text not null,
  disabled_at timestamptz not null,
  primary key (account_id, mode, url_sha256)
);

grant select, insert, update on delivery.assets, delivery.webhook_secrets, delivery.webhook_deliveries
  to media_delivery;
grant select, insert on delivery.webhook_attempts, delivery.disabled_urls to media_delivery;

-- migrate:down
