-- migrate:up

-- What a balance was at the beginning of a month, so that a statement reads the entries of its own months only.
create table billing.month_balances (
  account_id text not null,
  mode text not null,
  starts_at timestamptz not null,
  -- Available plus reserved Tokens.
  held bigint not null,
  primary key (account_id, mode, starts_at)
);

-- migrate:down
