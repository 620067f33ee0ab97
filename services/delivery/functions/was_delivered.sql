-- Whether an attempt of the delivery has succeeded.
create or replace function delivery.was_delivered(p_account text, p_id text)
returns boolean
language sql stable
as $$
  select exists (
    select from delivery.webhook_attempts
    where account_id = p_account and delivery_id = p_id and status_code between 200 and 299
  )
$$;

revoke all on function delivery.was_delivered from public;
grant execute on function delivery.was_delivered to media_delivery;
