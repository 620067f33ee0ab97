-- Erases what a deleted account has of content and people, at most `p_limit` rows of each log in a call. Returns whether
-- nothing is left; the last call says so in the account. Of its audit log stay times, actions and kinds of actors.
create or replace function gateway.erase_account(p_account text, p_at timestamptz, p_limit integer)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from gateway.accounts
    where account_id = p_account and deleted_at is not null and erased_at is null
    for no key update;
  if not found then
    return true;
  end if;
  delete from gateway.api_keys where account_id = p_account;
  delete from gateway.memberships where account_id = p_account;
  delete from gateway.invitations where account_id = p_account;
  delete from gateway.account_requests where account_id = p_account;
  with page as (
    select mode, at, seq from gateway.request_log
    where account_id = p_account and mode in ('live', 'test')
    limit p_limit
  )
  delete from gateway.request_log r using page
    where r.account_id = p_account and r.mode = page.mode and r.at = page.at and r.seq = page.seq;
  if found then
    return false;
  end if;
  update gateway.audit_log a
    set user_id = case when actor = 'user' then 'deleted' end, email = case when actor = 'user' then 'a deleted user' end,
      target = null, address = null, details = '{}', error = null
    where account_id = p_account and id in (
      select id from gateway.audit_log
      where account_id = p_account
        and (user_id <> 'deleted' or details <> '{}' or num_nonnulls(target, address, error) > 0)
      limit p_limit
    );
  if found then
    return false;
  end if;
  update gateway.accounts set name = 'a deleted account', erased_at = p_at where account_id = p_account;
  return true;
end $$;

grant execute on function gateway.erase_account to media_gateway;
