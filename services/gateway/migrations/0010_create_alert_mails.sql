-- migrate:up
-- Who has been mailed an alert, so that nobody is mailed again when the alert comes again. Kept for a week.
create table gateway.alert_mails (
  account_id text not null,
  -- The id of the alert's event.
  event_id text not null,
  user_id text not null,
  -- When the mail server answered for good: it took the mail, or refused the address.
  answered_at timestamptz not null,
  primary key (account_id, event_id, user_id)
);

create index alert_mails_by_time on gateway.alert_mails (answered_at);

grant select, insert, delete on gateway.alert_mails to media_gateway;

-- migrate:down
