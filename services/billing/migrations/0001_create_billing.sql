-- migrate:up

-- One row for each account and mode. Its row lock orders the moves of one balance, and the constraints keep it sound
-- whatever the functions do.
create table billing.balances (
  account_id text not null,
  mode text not null check (mode in ('live', 'test')),
  available bigint not null default 0 check (available >= 0),
  reserved bigint not null default 0 check (reserved >= 0),
  spent bigint not null default 0 check (spent >= 0),
  issued bigint not null default 0 check (issued >= 0),
  -- The number of holds in state `held`, so that the limit of open holds is a comparison and not a count.
  open_holds integer not null default 0 check (open_holds >= 0),
  -- Whether billing.limits has a row of this account, so that the moves of other balances do not look there. Live only.
  has_limits boolean not null default false,
  -- The account is told when `available` falls below this; null: never. Live only.
  low_below bigint check (low_below > 0),
  -- Whether it was told, and `available` has not been back since.
  is_low boolean not null default false,
  primary key (account_id, mode),
  check (available + reserved + spent = issued)
-- Every move updates a balance: free space in the page lets the update stay there and leave the index alone.
) with (fillfactor = 50);

-- One row for each attempt to pay for a generation. A reserve that is refused, and a release that arrives before its
-- reserve, leave a row in state `refused`: a reserve that comes later is refused, too.
create table billing.holds (
  account_id text not null,
  mode text not null,
  generation_id text not null,
  attempt integer not null check (attempt >= 1),
  -- The API key that the Tokens are held for; null: none.
  key_id text,
  -- `user_` and a hash of the end user that they are held for; null: none.
  end_user text,
  tokens bigint not null check (tokens >= 0),
  -- What was charged of them.
  captured bigint check (captured between 0 and tokens),
  state text not null check (state in ('held', 'captured', 'released', 'refused')),
  created_at timestamptz not null,
  primary key (account_id, mode, generation_id, attempt),
  check (state <> 'refused' or tokens = 0),
  check ((state = 'captured') = (captured is not null))
);

-- Generation compares all open holds with its rows: they are few among the holds of all time.
create index holds_open on billing.holds (account_id, mode, generation_id, attempt) where state = 'held';

-- Append-only: every change of a balance, with what was available after it.
create table billing.entries (
  account_id text not null,
  mode text not null,
  id text not null,
  -- The order of changes within one balance, whose lock is held when it is assigned.
  sequence bigint generated always as identity,
  type text not null check (type in ('recharge', 'reserve', 'capture', 'release', 'adjustment')),
  generation_id text,
  attempt integer,
  available_change bigint not null,
  reserved_change bigint not null,
  spent_change bigint not null,
  issued_change bigint not null,
  available_after bigint not null,
  reference text,
  note text,
  actor text,
  created_at timestamptz not null,
  primary key (account_id, mode, id),
  unique (account_id, mode, sequence),
  -- A hold is reserved, captured and released at most once each. Lists of one generation use it too.
  unique (account_id, mode, generation_id, attempt, type),
  check (available_change + reserved_change + spent_change = issued_change)
);

create index entries_listed_by_type on billing.entries (account_id, mode, type, sequence);
-- A reference counts once. Partial because few entries have one.
create unique index entries_reference on billing.entries (account_id, mode, reference) where reference is not null;
-- Downloads and statements read a span of time.
create index entries_by_time on billing.entries (account_id, mode, created_at, sequence);

create table billing.discounts (
  account_id text not null,
  -- Empty for all models.
  model text not null,
  basis_points integer not null check (basis_points between 0 and 10000),
  starts_at timestamptz not null,
  primary key (account_id, model, starts_at)
);

-- How many live Tokens may be reserved in a period, UTC.
create table billing.limits (
  account_id text not null,
  -- Empty for the account, the id of a key, or `user_` for each end user on their own.
  counted_for text not null,
  period text not null check (period in ('day', 'month')),
  tokens bigint not null check (tokens > 0),
  primary key (account_id, counted_for, period)
);

-- What is used of a limit in one period: the Tokens of the holds that were created in it and are not released. A row is
-- exact because the balance is locked while it changes, and is deleted with its limit, or by later counts once it is past.
create table billing.limit_usage (
  account_id text not null,
  starts_on date not null,
  period text not null check (period in ('day', 'month')),
  -- Empty for the account, the id of a key, or `user_` and the hash of an end user.
  counted_for text not null,
  tokens bigint not null check (tokens >= 0),
  -- The highest percentage that the account was told of.
  alerted_percent integer not null default 0,
  -- Rows of past periods come first, so that they are found at once.
  primary key (account_id, starts_on, period, counted_for)
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

-- What a balance was at the beginning of a month, so that a statement reads the entries of its own months only.
create table billing.month_balances (
  account_id text not null,
  mode text not null,
  starts_at timestamptz not null,
  -- Available plus reserved Tokens.
  held bigint not null,
  primary key (account_id, mode, starts_at)
);

-- Tokens move only through the functions in `functions/`, which run as the owner: the service's role reads the ledger
-- and cannot change it.
grant select on billing.balances, billing.holds, billing.entries to media_billing;
grant select, insert on billing.discounts to media_billing;
grant select on billing.limits, billing.limit_usage, billing.alert_settings to media_billing;
grant select, update (due_at), delete on billing.alerts to media_billing;

-- migrate:down
