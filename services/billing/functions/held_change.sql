-- The change of available plus reserved Tokens by the entries from p_from (inclusive) to p_to (exclusive).
create or replace function billing.held_change(p_account text, p_mode text, p_from timestamptz, p_to timestamptz)
returns bigint
language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(sum(e.available_change + e.reserved_change), 0)::bigint
  from billing.entries e
  where e.account_id = p_account and e.mode = p_mode and e.created_at >= p_from and e.created_at < p_to
$$;

revoke all on function billing.held_change from public;
