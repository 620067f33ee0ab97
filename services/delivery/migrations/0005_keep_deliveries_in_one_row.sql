-- migrate:up

-- What changes with each attempt is in the row of its delivery, and what is known of a URL in one row. The tables that had it
-- until now are emptied and go with a later release: a replica of the release before finds nothing due in them.
alter table delivery.webhook_deliveries
  add column status text not null default 'delivered',
  -- When the next attempt is due; null unless the delivery is pending.
  add column next_attempt_at timestamptz,
  -- Until then the sender that leased it may attempt it, and nobody else.
  add column lease_until timestamptz,
  -- Counts the leases; also the number of the attempt that one leads to.
  add column fence bigint not null default 1,
  -- The attempts of the schedule.
  add column attempts integer not null default 1,
  -- The account asked for this attempt: the schedule is over, and no further attempt is planned.
  add column redelivered boolean not null default false,
  -- The account asked for this attempt too, while the schedule goes on: when the next one of the schedule is due.
  add column resume_at timestamptz,
  add constraint webhook_deliveries_status_check check (status in ('pending', 'delivered', 'exhausted', 'disabled')) not valid,
  add constraint webhook_deliveries_due check ((status = 'pending') = (next_attempt_at is not null)) not valid;

-- A URL can be longer than an index entry, so its digest is the key.
create table delivery.webhook_urls (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  url_sha256 bytea not null,
  url text not null,
  -- The first failed attempt that no success followed.
  failing_since timestamptz,
  -- Nothing is sent to it: it answered 410 (`gone`), only failed for days (`failing`), or an operator disabled it.
  disabled_at timestamptz,
  reason text check (reason in ('gone', 'failing', 'operator')),
  primary key (account_id, mode, url_sha256),
  check (num_nonnulls(disabled_at, reason) in (0, 2))
);

-- squawk-ignore require-concurrent-index-creation
create index webhook_urls_disabled on delivery.webhook_urls (account_id, mode, disabled_at, url_sha256)
  where disabled_at is not null;

lock table delivery.webhook_queue, delivery.finished_deliveries, delivery.disabled_urls, delivery.failing_urls;

-- Most were delivered at once, as the defaults say.
update delivery.webhook_deliveries d
set status = f.status, fence = f.fence, attempts = f.attempt_count, redelivered = f.redelivered
from delivery.finished_deliveries f
where f.account_id = d.account_id and f.delivery_id = d.id
  and (f.status <> 'delivered' or f.fence <> 1 or f.attempt_count <> 1 or f.redelivered);
update delivery.webhook_deliveries d
set status = 'pending', next_attempt_at = q.next_attempt_at, fence = q.fence, attempts = q.attempt_count,
  redelivered = q.redelivered, resume_at = q.resume_at
from delivery.webhook_queue q
where q.account_id = d.account_id and q.delivery_id = d.id;
insert into delivery.webhook_urls (account_id, mode, url_sha256, url, disabled_at, reason)
select account_id, mode, url_sha256, url, disabled_at, reason from delivery.disabled_urls;
-- Failing URLs count their days anew.

alter table delivery.webhook_deliveries
  alter column status drop default, alter column fence set default 0, alter column attempts set default 0,
  set (autovacuum_vacuum_scale_factor = 0.02);
truncate delivery.webhook_queue, delivery.finished_deliveries, delivery.disabled_urls, delivery.failing_urls;
-- What a call that has begun would still insert there would be lost: it fails, and is made again.
revoke insert on delivery.webhook_queue from media_delivery;
grant update (status, next_attempt_at, lease_until, fence, attempts, redelivered, resume_at)
  on delivery.webhook_deliveries to media_delivery;
grant select, insert, update, delete on delivery.webhook_urls to media_delivery;

-- Secrets are derived from the master key of key_id. Those that release 1.0.0 made are random and stay sealed until they are
-- rotated; a replica of it lets webhooks wait that it cannot sign.
-- squawk-ignore ban-drop-not-null
alter table delivery.webhook_secrets alter column sealed drop not null;
-- Those of a deleted account are deleted.
grant delete on delivery.webhook_secrets to media_delivery;

-- migrate:down
