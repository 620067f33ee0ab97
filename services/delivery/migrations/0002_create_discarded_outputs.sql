-- migrate:up

-- Generations whose outputs must not be stored any more, so that a late copy leaves nothing behind.
create table delivery.discarded_outputs (
  account_id text not null,
  generation_id text not null,
  discarded_at timestamptz not null,
  primary key (account_id, generation_id)
);

create index discarded_outputs_by_age on delivery.discarded_outputs using brin (discarded_at);

grant select, insert, delete on delivery.discarded_outputs to media_delivery;

-- migrate:down
