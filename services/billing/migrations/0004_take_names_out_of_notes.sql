-- migrate:up

-- `ops application approve` of 1.0.0 wrote who had asked for the Tokens into the note of the recharge. The few entries
-- with a reference have an index.
update billing.entries set note = 'asked for'
where reference is not null and starts_with(reference, 'ask_') and starts_with(note, 'asked for by ');

-- migrate:down
