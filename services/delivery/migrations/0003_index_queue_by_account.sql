-- migrate:up

-- Claims give slots to accounts in turn, and to the hosts of an account in turn.
drop index delivery.webhook_queue_ready;
create index webhook_queue_ready on delivery.webhook_queue (account_id, host, next_attempt_at) where ready;

drop index delivery.webhook_queue_in_slot;
create index webhook_queue_in_slot on delivery.webhook_queue (account_id, host, host_slot) where host_slot is not null;

-- migrate:down
