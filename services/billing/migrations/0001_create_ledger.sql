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
  primary key (account_id, mode),
  check (available + reserved + spent = issued)
-- Every move updates a balance: free space in the page lets the update stay there and leave the index alone.
) with (fillfactor = 50);

-- One row for each attempt to pay for a generation. A release that arrives before its reserve leaves a row in state
-- `released`, so that the late reserve is refused.
create table billing.holds (
  account_id text not null,
  mode text not null,
  generation_id text not null,
  attempt integer not null check (attempt >= 1),
  tokens bigint not null check (tokens >= 0),
  state text not null check (state in ('held', 'captured', 'released')),
  created_at timestamptz not null,
  resolved_at timestamptz,
  primary key (account_id, mode, generation_id, attempt),
  check ((state = 'held') = (resolved_at is null))
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
  actor text not null,
  created_at timestamptz not null,
  primary key (account_id, model, starts_at)
);

-- Tokens move only through the functions in `functions/`, which run as the owner: the service's role reads the ledger
-- and cannot change it.
grant select on billing.balances, billing.holds, billing.entries to media_billing;
grant select, insert on billing.discounts to media_billing;

-- migrate:down
