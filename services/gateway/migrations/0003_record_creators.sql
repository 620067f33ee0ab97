-- migrate:up
-- A user's id, or 'operator'; null for what was made before this was recorded. No foreign key: it outlives the user.
alter table gateway.api_keys add column created_by text;
alter table gateway.invitations add column created_by text;

-- migrate:down
