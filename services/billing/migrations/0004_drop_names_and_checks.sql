-- migrate:up

-- `ops application approve` of 1.0.0 wrote who had asked for the Tokens into the note of the recharge. The few entries
-- with a reference have an index.
update billing.entries set note = 'asked for'
where reference is not null and starts_with(reference, 'ask_') and starts_with(note, 'asked for by ');

-- A statement reads the checks of its table anew each time. The words of a column are those of the proto, and only the
-- functions write them; what a balance is, and what a hold and an entry sum up to, is checked.
alter table billing.balances
  drop constraint balances_mode_check, drop constraint balances_issued_check, drop constraint balances_low_below_check;
alter table billing.holds drop constraint holds_state_check, drop constraint holds_attempt_check;
alter table billing.entries drop constraint entries_type_check;

-- migrate:down
