-- Makes the days of the request log from one to another that are not there, and drops those before `p_oldest`. Calls of
-- replicas run one after the other. A day that is dropped waits a second at most for those who read, because all
-- writers wait behind it.
create or replace function gateway.keep_request_days(p_oldest date, p_from date, p_to date)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
declare
  first_day date;
  name text;
begin
  perform pg_advisory_xact_lock(hashtext('gateway.keep_request_days'));
  perform set_config('lock_timeout', '1s', true);
  for first_day in select generate_series(p_from, p_to, interval '1 day')::date loop
    name := 'request_log_' || to_char(first_day, 'YYYYMMDD');
    if to_regclass('gateway.' || name) is null then
      -- To attach a table does not keep out those who write to the other days, as to make it in its place would.
      execute format('create table gateway.%I (like gateway.request_log including defaults including constraints)', name);
      execute format('alter table gateway.request_log attach partition gateway.%I for values from (%L) to (%L)',
        name, first_day, first_day + 1);
    end if;
  end loop;
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'gateway.request_log'::regclass
      and c.relname < 'request_log_' || to_char(p_oldest, 'YYYYMMDD')
  loop
    execute format('drop table gateway.%I', name);
  end loop;
end $$;

grant execute on function gateway.keep_request_days to media_gateway;
