-- migrate:up
alter table gateway.users
  add column two_factor_enabled boolean not null default false,
  -- When an operator disabled the user.
  add column disabled_at timestamptz;

-- Written by the sign-in library: a user's authenticator app, its secret and recovery codes encrypted.
create table gateway.second_factors (
  id text primary key,
  user_id text not null unique references gateway.users (id) on delete cascade,
  secret text not null,
  backup_codes text not null,
  -- Whether a first code has proved that the app has the secret.
  verified boolean not null default false,
  failed_verification_count integer not null default 0,
  locked_until timestamptz
);

grant select, insert, update, delete on gateway.second_factors to media_gateway;

-- migrate:down
