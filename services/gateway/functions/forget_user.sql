-- Takes the name of a deleted user out of the `p_limit` entries of audit logs after a key. Returns the key of the last of
-- them, or no row if there are no more; then what the user asked operators for is taken out too. The entries of a user have
-- no index: they are searched once.
create or replace function gateway.forget_user(p_user text, p_after_account text, p_after_id text, p_limit integer)
returns table (account_id text, id text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  nobody constant text := 'a deleted user';
  known_as text[];
begin
  select array[u.email, 'asked for by ' || u.email] into known_as
    from gateway.users u where u.id = p_user and u.deleted_at is not null;
  if not found then
    return;
  end if;
  return query
    with page as materialized (
      select p.account_id, p.id from gateway.audit_log p
      where (p.account_id, p.id) > (p_after_account, p_after_id)
      order by p.account_id, p.id limit p_limit
    ), changed as (
      update gateway.audit_log a
      set email = case a.user_id when p_user then nobody else a.email end,
        address = case a.user_id when p_user then null else a.address end,
        details = coalesce((
          select jsonb_object_agg(d.key, case when lower(d.value) = any (known_as) then nobody else d.value end)
          from jsonb_each_text(a.details) d), '{}')
      from page
      where a.account_id = page.account_id and a.id = page.id
        and (a.user_id = p_user
          or exists (select from jsonb_each_text(a.details) d where lower(d.value) = any (known_as)))
    )
    select page.account_id, page.id from page
    where (select count(*) from page) = p_limit
    order by page.account_id desc, page.id desc limit 1;
  if not found then
    update gateway.account_requests r set email = nobody, message = '', answer = '' where r.user_id = p_user;
  end if;
end $$;

grant execute on function gateway.forget_user to media_gateway;
