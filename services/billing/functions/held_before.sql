-- Available plus reserved Tokens just before p_at. What they were at the beginning of its month is kept once that is a day
-- ago, when no entry from before can be under way any more; later calls read the entries from there on.
create or replace function billing.held_before(p_account text, p_mode text, p_at timestamptz, p_now timestamptz)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  month timestamptz := date_trunc('month', least(p_at, p_now - interval '1 day'), 'UTC');
  since timestamptz := '-infinity';
  result bigint := 0;
begin
  select b.starts_at, b.held into since, result from billing.month_balances b
    where b.account_id = p_account and b.mode = p_mode and b.starts_at <= month
    order by b.starts_at desc limit 1;
  since := coalesce(since, '-infinity');
  result := coalesce(result, 0);
  if since < month then
    result := result + billing.held_change(p_account, p_mode, since, month);
    since := month;
    insert into billing.month_balances (account_id, mode, starts_at, held)
      values (p_account, p_mode, month, result)
      on conflict do nothing;
  end if;
  return result + billing.held_change(p_account, p_mode, since, p_at);
end $$;

revoke all on function billing.held_before from public;
grant execute on function billing.held_before to media_billing;
