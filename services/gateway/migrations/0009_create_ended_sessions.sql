-- migrate:up
-- Why a session was ended, for the browser that still has its cookie.
create table gateway.ended_sessions (
  token_sha256 bytea primary key check (length(token_sha256) = 32),
  cause text not null check (cause in ('password_changed', 'ended_elsewhere', 'ended_by_operator', 'user_disabled')),
  -- When the cookie ends.
  expires_at timestamptz not null
);

create index ended_sessions_by_end on gateway.ended_sessions (expires_at);

grant select, insert, delete on gateway.ended_sessions to media_gateway;

-- migrate:down
