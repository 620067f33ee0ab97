-- migrate:up

alter table billing.balances
  -- Whether billing.limits has a row of this account, so that the moves of other balances do not look there. Live only.
  add column has_limits boolean not null default false,
  -- The account is told when `available` falls below this; null: never. Live only.
  add column low_below bigint check (low_below > 0),
  -- Whether it was told, and `available` has not been back since.
  add column is_low boolean not null default false;

-- The API key that the Tokens are held for. Null: none, or a hold of an earlier release.
alter table billing.holds add column key_id text;

-- How many live Tokens may be reserved in a period, UTC.
create table billing.limits (
  account_id text not null,
  -- Empty for the limit of the account.
  key_id text not null,
  period text not null check (period in ('day', 'month')),
  tokens bigint not null check (tokens > 0),
  primary key (account_id, key_id, period)
);

-- What is used of a limit in one period: the Tokens of the holds that were created in it and are not released. A row is
-- exact because the balance is locked while it changes, and is deleted with its limit.
create table billing.limit_usage (
  account_id text not null,
  key_id text not null,
  period text not null check (period in ('day', 'month')),
  starts_on date not null,
  tokens bigint not null check (tokens >= 0),
  -- The highest percentage that the account was told of.
  alerted_percent integer not null default 0,
  primary key (account_id, key_id, period, starts_on)
) with (fillfactor = 50);

create table billing.alert_settings (
  account_id text primary key,
  limit_percents integer[] not null,
  webhook_url text,
  mail boolean not null
);

-- What accounts are to be told: written with what it tells of, deleted when it was delivered.
create table billing.alerts (
  account_id text not null,
  -- The id of the event.
  id text not null,
  type text not null check (type in ('balance.low', 'limit.reached')),
  data jsonb not null,
  created_at timestamptz not null,
  due_at timestamptz not null,
  primary key (account_id, id)
);

create index alerts_due on billing.alerts (due_at);

grant select on billing.limits, billing.limit_usage, billing.alert_settings to media_billing;
grant select, update (due_at), delete on billing.alerts to media_billing;

-- migrate:down
