-- migrate:up

-- Written by the sign-in library: the public halves of users' passkeys.
create table gateway.passkeys (
  id text primary key,
  user_id text not null references gateway.users (id) on delete cascade,
  name text,
  public_key text not null,
  credential_id text not null unique,
  counter bigint not null,
  device_type text not null,
  backed_up boolean not null,
  transports text,
  aaguid text,
  created_at timestamptz
);

create index passkeys_of_user on gateway.passkeys (user_id);

grant select, insert, update, delete on gateway.passkeys to media_gateway;

-- migrate:down
