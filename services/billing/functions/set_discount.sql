-- Sets a discount from now or a time to come on, which replaces one that is set for the same time to come. Returns the
-- basis points that are set for that time; null where none is and the time is past.
create or replace function billing.set_discount(p_account text, p_model text, p_basis_points integer,
  p_starts_at timestamptz, p_at timestamptz)
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_starts_at >= p_at then
    insert into billing.discounts as d (account_id, model, basis_points, starts_at)
      values (p_account, p_model, p_basis_points, p_starts_at)
      on conflict (account_id, model, starts_at) do update set basis_points = p_basis_points
        where d.starts_at > p_at;
  end if;
  return (select d.basis_points from billing.discounts d
    where d.account_id = p_account and d.model = p_model and d.starts_at = p_starts_at);
end $$;

grant execute on function billing.set_discount to media_billing;
