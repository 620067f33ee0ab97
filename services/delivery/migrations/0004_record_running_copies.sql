-- migrate:up

-- Until when a copy of the output may be running; null when none is.
alter table delivery.assets add copying_until timestamptz;

-- migrate:down
