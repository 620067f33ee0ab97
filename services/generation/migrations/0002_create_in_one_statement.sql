-- migrate:up

-- A task is inserted with its generation, which has the number of its hold. The other columns of creates that are not
-- acknowledged (input, defaulted, key_id, request_id, traceparent) and the steps `reserve` and `void` are those of the
-- release before.
-- A replica of the release before reads tasks of its own steps only, which have a number.
-- squawk-ignore ban-drop-not-null
alter table generation.tasks alter column attempt drop not null;

-- migrate:down
