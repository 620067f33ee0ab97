-- Locks the balance of an account and mode, and opens it where it does not exist. A test balance opens with a grant.
create or replace function billing.lock_balance(p_account text, p_mode text, p_at timestamptz)
returns billing.balances
language plpgsql as $$
declare
  grant_tokens constant bigint := 1000000;
  balance billing.balances;
begin
  select b.* into balance from billing.balances b
    where b.account_id = p_account and b.mode = p_mode for update;
  if found then
    return balance;
  end if;
  insert into billing.balances (account_id, mode) values (p_account, p_mode) on conflict do nothing;
  if found and p_mode = 'test' then
    update billing.balances set available = grant_tokens, issued = grant_tokens
      where account_id = p_account and mode = p_mode;
    insert into billing.entries (account_id, mode, id, type, available_change, reserved_change,
        spent_change, issued_change, available_after, reference, note, actor, created_at)
      values (p_account, p_mode, 'txn_' || substr(p_account, 6), 'recharge', grant_tokens, 0,
        0, grant_tokens, grant_tokens, 'test-grant', 'Test Tokens', 'billing', p_at);
  end if;
  select b.* into balance from billing.balances b
    where b.account_id = p_account and b.mode = p_mode for update;
  return balance;
end $$;

revoke all on function billing.lock_balance from public;
