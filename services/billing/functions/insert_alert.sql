-- Writes an alert that is due at once. `p_cause` names what it tells of among all alerts of the account: the event's id is
-- made of it, from the digits that hexadecimal and base32 share.
create or replace function billing.insert_alert(p_account text, p_type text, p_data jsonb, p_cause text,
  p_at timestamptz)
returns void language sql as $$
  insert into billing.alerts (account_id, id, type, data, created_at, due_at)
    values (p_account,
      'evt_0' || left(encode(sha256(convert_to(p_account || ' ' || p_type || ' ' || p_cause, 'UTF8')), 'hex'), 25),
      p_type, p_data, p_at, p_at);
$$;

revoke all on function billing.insert_alert from public;
