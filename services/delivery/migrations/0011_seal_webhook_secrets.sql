-- migrate:up

-- A secret is kept encrypted: `sealed`, by the key that `key_id` names. Plain ones from before are sealed when the
-- service starts.
alter table delivery.webhook_secrets
  alter column secret drop not null,
  add column key_id text,
  add column sealed bytea,
  add constraint webhook_secrets_kept_once check (num_nonnulls(secret, sealed) = 1),
  add constraint webhook_secrets_key_named check ((key_id is null) = (sealed is null));

create index webhook_secrets_by_key on delivery.webhook_secrets (key_id, account_id, mode, number);

-- migrate:down
