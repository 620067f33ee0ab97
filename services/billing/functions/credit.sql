-- Changes a balance by a recharge, or by the signed amount of an adjustment. A reference counts once, together with
-- those of the other type: a repetition returns the first transaction. Databases that 1.0.0 has served also have
-- billing.recharge and billing.adjust, which its replicas call.
create or replace function billing.credit(p_account text, p_mode text, p_type text, p_id text, p_tokens bigint,
  p_reference text, p_note text, p_actor text, p_at timestamptz)
returns table (outcome text, transaction_id text, available bigint, reserved bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  balance billing.balances;
  earlier billing.entries;
begin
  balance := billing.lock_balance(p_account, p_mode, p_at);
  outcome := 'ok';
  transaction_id := p_id;
  select e.* into earlier from billing.entries e
    where e.account_id = p_account and e.mode = p_mode and e.reference = p_reference;
  if found then
    outcome := case
      when earlier.type <> p_type then 'other_type'
      when earlier.issued_change <> p_tokens then 'differs'
      else 'repeated' end;
    transaction_id := earlier.id;
  elsif balance.available + p_tokens < 0 then
    outcome := 'insufficient';
  else
    update billing.balances b
      set available = b.available + p_tokens, issued = b.issued + p_tokens
      where b.account_id = p_account and b.mode = p_mode
      returning b.* into balance;
    insert into billing.entries (account_id, mode, id, type, available_change, reserved_change, spent_change,
        issued_change, available_after, reference, note, actor, created_at)
      values (p_account, p_mode, p_id, p_type, p_tokens, 0, 0,
        p_tokens, balance.available, p_reference, p_note, p_actor, p_at);
    if balance.low_below is not null then
      perform billing.watch_balance(balance, p_id, p_at);
    end if;
  end if;
  available := balance.available;
  reserved := balance.reserved;
  return next;
end $$;

grant execute on function billing.credit to media_billing;
