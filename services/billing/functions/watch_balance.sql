-- Writes an alert when the available Tokens have fallen below the account's threshold, once until they are back. Called
-- after each change of a balance that has a threshold; the caller holds its lock.
create or replace function billing.watch_balance(p_balance billing.balances, p_entry text, p_at timestamptz)
returns void language plpgsql as $$
declare
  has_fallen constant boolean := p_balance.available < p_balance.low_below;
begin
  update billing.balances b set is_low = has_fallen
    where b.account_id = p_balance.account_id and b.mode = p_balance.mode and b.is_low <> has_fallen;
  if found and has_fallen then
    perform billing.insert_alert(p_balance.account_id, 'balance.low',
      jsonb_build_object('available', p_balance.available::text, 'reserved', p_balance.reserved::text,
        'threshold', p_balance.low_below::text),
      p_entry, p_at);
  end if;
end $$;

revoke all on function billing.watch_balance from public;
