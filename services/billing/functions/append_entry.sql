-- Writes the entry of one move of a hold.
create or replace function billing.append_entry(p_account text, p_mode text, p_id text, p_type text,
  p_generation text, p_attempt integer, p_available bigint, p_reserved bigint, p_spent bigint, p_after bigint,
  p_at timestamptz)
returns void language sql as $$
  insert into billing.entries (account_id, mode, id, type, generation_id, attempt, available_change,
      reserved_change, spent_change, issued_change, available_after, created_at)
    values (p_account, p_mode, p_id, p_type, p_generation, p_attempt, p_available,
      p_reserved, p_spent, 0, p_after, p_at);
$$;

revoke all on function billing.append_entry from public;
