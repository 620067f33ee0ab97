-- migrate:up

-- Where the fault of a refused request was. Requests of a gateway of the release before have none.
alter table gateway.request_log add column error_param text;

-- migrate:down
