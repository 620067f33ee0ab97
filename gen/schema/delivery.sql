-- The schema as it is, for reading. `npm run schema` writes it; change migrations/ and functions/ instead.

create table delivery.asset_retention (
  account_id text not null,
  days integer,
  constraint asset_retention_days_check CHECK (((days >= 1) AND (days <= 36500))),
  constraint asset_retention_pkey PRIMARY KEY (account_id)
);

grant insert, select, update on delivery.asset_retention to media_delivery;

create table delivery.assets (
  account_id text not null,
  owner_id text not null,
  owner_kind text not null,
  "position" integer not null,
  mode text not null,
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
  provenance text,
  reserved_at timestamp with time zone not null,
  copying_until timestamp with time zone,
  stored_at timestamp with time zone,
  discarded_at timestamp with time zone,
  is_used boolean default false not null,
  expires_at timestamp with time zone,
  delete_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint assets_check CHECK (((stored_at IS NULL) = (num_nulls(key, content_type, width, height, bytes, sha256) = 6))),
  constraint assets_check1 CHECK (((stored_at IS NULL) OR (num_nulls(key, content_type, width, height, bytes, sha256) = 0))),
  constraint assets_check2 CHECK (((discarded_at IS NULL) OR (stored_at IS NULL))),
  constraint assets_check3 CHECK (((NOT is_used) OR (owner_kind = 'file'::text))),
  constraint assets_check4 CHECK (((delete_at IS NULL) OR (stored_at IS NOT NULL))),
  constraint assets_check5 CHECK (((deleted_at IS NULL) OR (delete_at IS NOT NULL))),
  constraint assets_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint assets_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['generation'::text, 'file'::text]))),
  constraint assets_pkey PRIMARY KEY (account_id, owner_id, "position"),
  constraint assets_position_check CHECK (("position" >= 0)),
  constraint assets_provenance_check CHECK ((provenance = ANY (ARRAY['c2pa'::text, 'iptc'::text, 'none'::text])))
);

CREATE INDEX assets_expiring ON delivery.assets USING btree (expires_at) WHERE ((expires_at IS NOT NULL) AND (delete_at IS NULL) AND (stored_at IS NOT NULL));
CREATE INDEX assets_kept ON delivery.assets USING btree (account_id, stored_at) WHERE ((delete_at IS NULL) AND (stored_at IS NOT NULL));
CREATE INDEX assets_listed_files ON delivery.assets USING btree (account_id, mode, reserved_at, owner_id) WHERE ((owner_kind = 'file'::text) AND (delete_at IS NULL));
CREATE INDEX assets_to_delete ON delivery.assets USING btree (delete_at) WHERE ((delete_at IS NOT NULL) AND (deleted_at IS NULL));
CREATE INDEX assets_token ON delivery.assets USING btree (token);
CREATE INDEX assets_unused_files ON delivery.assets USING btree (account_id, mode, expires_at) WHERE ((owner_kind = 'file'::text) AND (NOT is_used) AND (delete_at IS NULL));
CREATE TRIGGER assets_counted AFTER UPDATE ON delivery.assets REFERENCING OLD TABLE AS old_assets NEW TABLE AS new_assets FOR EACH STATEMENT EXECUTE FUNCTION delivery.count_storage();
grant insert, select, update on delivery.assets to media_delivery;

create table delivery.deleted_generations (
  account_id text not null,
  generation_id text not null,
  deleted_at timestamp with time zone not null,
  constraint deleted_generations_pkey PRIMARY KEY (account_id, generation_id)
);

CREATE INDEX deleted_generations_by_age ON delivery.deleted_generations USING brin (deleted_at);
grant delete, insert, select on delivery.deleted_generations to media_delivery;

create table delivery.disabled_urls (
  account_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  url text not null,
  reason text default 'gone'::text not null,
  disabled_at timestamp with time zone not null,
  constraint disabled_urls_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint disabled_urls_pkey PRIMARY KEY (account_id, mode, url_sha256),
  constraint disabled_urls_reason_check CHECK ((reason = ANY (ARRAY['gone'::text, 'failing'::text])))
);

CREATE INDEX disabled_urls_listed ON delivery.disabled_urls USING btree (account_id, mode, disabled_at, url_sha256);
grant delete, insert, select on delivery.disabled_urls to media_delivery;

create table delivery.discarded_outputs (
  account_id text not null,
  generation_id text not null,
  discarded_at timestamp with time zone not null,
  constraint discarded_outputs_pkey PRIMARY KEY (account_id, generation_id)
);

CREATE INDEX discarded_outputs_by_age ON delivery.discarded_outputs USING brin (discarded_at);
grant delete, insert, select on delivery.discarded_outputs to media_delivery;

create table delivery.failing_urls (
  account_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  failing_since timestamp with time zone not null,
  constraint failing_urls_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint failing_urls_pkey PRIMARY KEY (account_id, mode, url_sha256)
);

grant delete, insert, select on delivery.failing_urls to media_delivery;

create table delivery.file_uses (
  account_id text not null,
  generation_id text not null,
  file_id text not null,
  attempt integer not null,
  constraint file_uses_attempt_check CHECK ((attempt >= 1)),
  constraint file_uses_pkey PRIMARY KEY (account_id, generation_id, file_id)
);

CREATE INDEX file_uses_by_file ON delivery.file_uses USING btree (account_id, file_id);
grant delete, insert, select, update on delivery.file_uses to media_delivery;

create table delivery.files (
  account_id text not null,
  id text not null,
  sha256 text not null,
  created_at timestamp with time zone not null,
  constraint files_pkey PRIMARY KEY (account_id, id)
);

grant insert, select on delivery.files to media_delivery;

create table delivery.finished_deliveries (
  account_id text not null,
  delivery_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  created_at timestamp with time zone not null,
  status text not null,
  fence bigint not null,
  attempt_count integer not null,
  redelivered boolean not null,
  constraint finished_deliveries_pkey PRIMARY KEY (account_id, delivery_id),
  constraint finished_deliveries_status_check CHECK ((status = ANY (ARRAY['delivered'::text, 'exhausted'::text, 'disabled'::text])))
);

CREATE INDEX finished_deliveries_disabled ON delivery.finished_deliveries USING btree (account_id, mode, url_sha256) WHERE (status = 'disabled'::text);
CREATE INDEX finished_deliveries_listed ON delivery.finished_deliveries USING btree (account_id, mode, status, created_at, delivery_id);
grant delete, insert, select on delivery.finished_deliveries to media_delivery;

create table delivery.storage (
  account_id text not null,
  mode text not null,
  used_bytes bigint default 0 not null,
  limit_bytes bigint,
  constraint storage_limit_bytes_check CHECK ((limit_bytes >= 0)),
  constraint storage_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint storage_pkey PRIMARY KEY (account_id, mode)
);

grant insert, select, update on delivery.storage to media_delivery;

create table delivery.webhook_attempts (
  account_id text not null,
  delivery_id text not null,
  number integer not null,
  at timestamp with time zone not null,
  status_code integer,
  error text,
  duration_ms integer,
  response_body text,
  constraint webhook_attempts_outcome CHECK (
CASE
    WHEN (duration_ms IS NULL) THEN (num_nonnulls(status_code, error) = 0)
    ELSE (num_nonnulls(status_code, error) = 1)
END),
  constraint webhook_attempts_pkey PRIMARY KEY (account_id, delivery_id, number)
);

grant delete, insert, select on delivery.webhook_attempts to media_delivery;
grant update (at, duration_ms, error, response_body, status_code) on delivery.webhook_attempts to media_delivery;

create table delivery.webhook_deliveries (
  account_id text not null,
  id text not null,
  mode text not null,
  event_id text not null,
  type text not null,
  generation_id text,
  url text not null,
  host text not null,
  body bytea not null,
  request_id text,
  traceparent text,
  created_at timestamp with time zone not null,
  status text not null,
  next_attempt_at timestamp with time zone,
  lease_until timestamp with time zone,
  fence bigint default 0 not null,
  attempts integer default 0 not null,
  redelivered boolean default false not null,
  resume_at timestamp with time zone,
  constraint webhook_deliveries_account_id_event_id_key UNIQUE (account_id, event_id),
  constraint webhook_deliveries_due CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  constraint webhook_deliveries_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint webhook_deliveries_pkey PRIMARY KEY (account_id, id),
  constraint webhook_deliveries_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'disabled'::text])))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.02);

CREATE INDEX webhook_deliveries_leased ON delivery.webhook_deliveries USING btree (lease_until) WHERE (lease_until IS NOT NULL);
CREATE INDEX webhook_deliveries_listed ON delivery.webhook_deliveries USING btree (account_id, mode, created_at, id);
CREATE INDEX webhook_deliveries_listed_by_generation ON delivery.webhook_deliveries USING btree (account_id, mode, generation_id, created_at, id);
CREATE INDEX webhook_deliveries_listed_by_status ON delivery.webhook_deliveries USING btree (account_id, mode, status, created_at, id) WHERE (status <> ''::text);
CREATE INDEX webhook_deliveries_listed_by_type ON delivery.webhook_deliveries USING btree (account_id, mode, type, created_at, id) WHERE (type <> ''::text);
CREATE INDEX webhook_deliveries_listed_by_url ON delivery.webhook_deliveries USING btree (account_id, mode, hashtextextended(url, (0)::bigint), created_at, id) WHERE (url <> ''::text);
CREATE INDEX webhook_deliveries_pending ON delivery.webhook_deliveries USING btree (account_id, hashtextextended(host, (0)::bigint), next_attempt_at) WHERE (status = 'pending'::text);
grant delete, insert, select on delivery.webhook_deliveries to media_delivery;
grant update (attempts, fence, lease_until, next_attempt_at, redelivered, resume_at, status) on delivery.webhook_deliveries to media_delivery;

create table delivery.webhook_queue (
  account_id text not null,
  delivery_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  host text not null,
  created_at timestamp with time zone not null,
  next_attempt_at timestamp with time zone not null,
  ready boolean not null,
  host_slot integer,
  leased_at timestamp with time zone,
  lease_until timestamp with time zone,
  fence bigint default 0 not null,
  attempt_count integer default 0 not null,
  redelivered boolean default false not null,
  resume_at timestamp with time zone,
  constraint webhook_queue_check CHECK ((num_nonnulls(host_slot, leased_at, lease_until) = ANY (ARRAY[0, 3]))),
  constraint webhook_queue_check1 CHECK (((NOT ready) OR (host_slot IS NULL))),
  constraint webhook_queue_pkey PRIMARY KEY (account_id, delivery_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=5000);

CREATE INDEX webhook_queue_in_slot ON delivery.webhook_queue USING btree (account_id, host, host_slot) WHERE (host_slot IS NOT NULL);
CREATE INDEX webhook_queue_listed ON delivery.webhook_queue USING btree (account_id, mode, created_at, delivery_id);
CREATE INDEX webhook_queue_ready ON delivery.webhook_queue USING btree (account_id, host, next_attempt_at) WHERE ready;
CREATE INDEX webhook_queue_waking ON delivery.webhook_queue USING btree (COALESCE(lease_until, next_attempt_at)) WHERE (NOT ready);
grant delete, select, update on delivery.webhook_queue to media_delivery;

create table delivery.webhook_secrets (
  account_id text not null,
  mode text not null,
  number integer not null,
  key_id text not null,
  sealed bytea,
  created_at timestamp with time zone not null,
  created_by text,
  expires_at timestamp with time zone,
  constraint webhook_secrets_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint webhook_secrets_number_check CHECK ((number >= 1)),
  constraint webhook_secrets_pkey PRIMARY KEY (account_id, mode, number)
);

CREATE INDEX webhook_secrets_by_key ON delivery.webhook_secrets USING btree (key_id, account_id, mode, number);
grant delete, insert, select, update on delivery.webhook_secrets to media_delivery;

create table delivery.webhook_urls (
  account_id text not null,
  mode text not null,
  url_sha256 bytea not null,
  url text not null,
  failing_since timestamp with time zone,
  disabled_at timestamp with time zone,
  reason text,
  constraint webhook_urls_check CHECK ((num_nonnulls(disabled_at, reason) = ANY (ARRAY[0, 2]))),
  constraint webhook_urls_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
  constraint webhook_urls_pkey PRIMARY KEY (account_id, mode, url_sha256),
  constraint webhook_urls_reason_check CHECK ((reason = ANY (ARRAY['gone'::text, 'failing'::text, 'operator'::text])))
);

CREATE INDEX webhook_urls_disabled ON delivery.webhook_urls USING btree (account_id, mode, disabled_at, url_sha256) WHERE (disabled_at IS NOT NULL);
grant delete, insert, select, update on delivery.webhook_urls to media_delivery;

-- function delivery.claim_deliveries(p_now timestamp with time zone, p_lease_until timestamp with time zone, p_limit integer, p_rows integer)
--   returns SETOF delivery.webhook_deliveries
--   set enable_seqscan=off
--   set enable_bitmapscan=off
--   executed by media_delivery

-- function delivery.count_storage()
--   returns trigger

-- function delivery.delete_webhooks(p_account_id text, p_generation_id text, p_at timestamp with time zone)
--   returns void
--   set enable_seqscan=off
--   executed by media_delivery

-- function delivery.insert_delivery(p_account_id text, p_id text, p_mode text, p_event_id text, p_type text, p_generation_id text, p_url text, p_host text, p_body bytea, p_at timestamp with time zone, p_request_id text, p_traceparent text)
--   returns void
--   executed by media_delivery

-- function delivery.kept_bytes(asset delivery.assets)
--   returns bigint
--   executed by media_delivery
