-- migrate:up

alter table delivery.disabled_urls
  add column reason text not null default 'gone' check (reason in ('gone', 'failing'));

create index disabled_urls_listed on delivery.disabled_urls (account_id, mode, disabled_at, url_sha256);

-- URLs whose last attempt failed, since the first failure that no success followed.
create table delivery.failing_urls (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  url_sha256 bytea not null,
  failing_since timestamptz not null,
  primary key (account_id, mode, url_sha256)
);

-- What a disabled URL stopped, to be found when it is enabled again. A URL can be longer than an index entry.
create index webhook_deliveries_stopped on delivery.webhook_deliveries (account_id, mode, md5(url))
  where status = 'disabled';

grant delete on delivery.disabled_urls to media_delivery;
grant select, insert, delete on delivery.failing_urls to media_delivery;

-- migrate:down
