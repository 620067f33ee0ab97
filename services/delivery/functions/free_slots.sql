-- The slots, at most `p_max`, that a host of an account is given: its free ones of `p_slots`, as far as its due
-- deliveries need them, `p_share` in each. `p_busy` are the account's, as busy_slots returns them. Null: none.
create or replace function delivery.free_slots(p_account text, p_host text, p_busy text[], p_now timestamptz,
  p_slots integer, p_share integer, p_max integer)
returns smallint[]
language plpgsql stable
as $$
declare
  due integer;
begin
  select count(*) into due
  from (
    select from delivery.webhook_queue
    where ready and account_id = p_account and host = p_host and next_attempt_at <= p_now
    order by next_attempt_at
    limit p_slots * p_share
  ) first;
  return (
    select array_agg(slot)
    from (
      select slot::smallint from generate_series(1, p_slots) as one (slot)
      where p_host || ' ' || slot <> all (p_busy)
      limit least(p_max, ceil(due::float / p_share)::integer)
    ) free
  );
end
$$;

revoke all on function delivery.free_slots from public;
grant execute on function delivery.free_slots to media_delivery;
