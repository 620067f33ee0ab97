-- migrate:up

-- Generations that their accounts deleted: no webhook of them is accepted any more, however late its event comes.
create table delivery.deleted_generations (
  account_id text not null,
  generation_id text not null,
  deleted_at timestamptz not null,
  primary key (account_id, generation_id)
);

create index deleted_generations_by_age on delivery.deleted_generations using brin (deleted_at);

grant select, insert, delete on delivery.deleted_generations to media_delivery;
grant delete on delivery.webhook_deliveries, delivery.webhook_attempts to media_delivery;

-- migrate:down
