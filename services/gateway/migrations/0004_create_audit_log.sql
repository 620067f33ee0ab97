-- migrate:up
create table gateway.audit_log (
  account_id text not null references gateway.accounts (account_id),
  id text not null,
  at timestamptz not null,
  actor text not null check (actor in ('user', 'operator', 'system')),
  -- The user and their e-mail at that time. No foreign key: an entry outlives the user.
  user_id text check ((user_id is null) = (actor <> 'user')),
  email text,
  action text not null,
  target text,
  mode text check (mode in ('live', 'test')),
  address text,
  details jsonb not null,
  error text,
  primary key (account_id, id)
);

create index audit_log_listed on gateway.audit_log (account_id, at desc, id desc);
create index audit_log_by_action on gateway.audit_log (account_id, action, at desc, id desc);
create index audit_log_by_actor on gateway.audit_log (account_id, actor, at desc, id desc);

-- Append-only: the service's role neither updates nor deletes an entry.
grant select, insert on gateway.audit_log to media_gateway;

-- migrate:down
