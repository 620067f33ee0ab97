-- migrate:up

-- A task is inserted with its generation, which has the number of its hold. The other columns of creates that are not
-- acknowledged (input, defaulted, key_id, request_id, traceparent) and the steps `reserve` and `void` are those of the
-- release before.
alter table generation.tasks alter column attempt drop not null;

-- migrate:down
