-- Assigns slots at upstreams to tasks and leases those, within every limit. A task's rank in the queue of its model is the
-- number of its account's tasks in slots, plus its place in its account's queue; the lowest goes first. With p_moved_id: only
-- to that task of this worker, which keeps its lease. Of the upstreams with a free slot the one with the smallest priority
-- number gets a task; of several, the one with the fewest tasks for its weight.
--
-- Looks at the accounts after `p_after`, and returns the last one that it looked at, without a task if nothing was
-- assigned. One call at a time in a mode: a claim that would have to wait gets nothing. `p_upstreams`, in the
-- order of their priorities: name, credential, upstream_model, priority, weight, takes_bytes, capacity (how many slots of the
-- credential this worker may take now), and where they are limited credential_limit, model_limit, interval_ms (between
-- submits). The intent to submit is written with the slot, unless the task is moved, or has pictures whose bytes the
-- upstream takes: these are fetched first. The fields `p_picture_fields` of an input name its pictures.
--
-- A paused upstream gets no task. After the pause it gets one, the trial, and no other until that has ended the pause or 30 s
-- have passed: `trial_until`. It is the epoch if failed submits are counted and nothing is paused, null if there were none.
drop function if exists generation.assign_slots;
create or replace function generation.assign_slots(p_mode text, p_model text, p_kind text, p_upstreams jsonb,
  p_account_limit integer, p_limit integer, p_at timestamptz, p_lease_until timestamptz, p_after text,
  p_moved_account text, p_moved_id text, p_moved_fence bigint, p_picture_fields text[])
returns table (task generation.tasks, generation generation.generations, last_account text, trial_until timestamptz) language plpgsql rows 32 as $$
declare
  -- Accounts looked at by one call.
  v_max_accounts constant integer := 256;
  -- Tasks of an account that have a slot before their pictures are there. More would only hold slots.
  v_max_fetching constant integer := 4;
  v_takes_bytes constant boolean := p_upstreams @> '[{"takes_bytes": true}]';
  -- Submits may be this far ahead of their even rate, because workers assign slots about every 250 ms.
  v_max_ahead constant interval := '250 ms';
  v_trial_for constant interval := '30 s';
  v_lock constant bigint := hashtextextended('generation.assign_slots ' || p_mode, 0);
  -- What is known of each upstream, and how many tasks have a slot there.
  v_name text[];
  v_credential text[];
  v_model text[];
  v_priority integer[];
  v_weight double precision[];
  v_credential_limit integer[];
  v_model_limit integer[];
  v_interval interval[];
  v_capacity integer[];
  v_free_at timestamptz[];
  v_is_paused boolean[];
  v_is_trial boolean[];
  v_at_credential integer[];
  v_at_model integer[];
  v_visited text[] := '{}';
  v_best integer;
  v_task record;
  v_accounts text[] := '{}';
  v_ids text[] := '{}';
  v_chosen integer[] := '{}';
  v_pictures integer[] := '{}';
begin
  if p_moved_id is not null then
    perform pg_advisory_xact_lock(v_lock);
  elsif not pg_try_advisory_xact_lock(v_lock) then
    return;
  end if;

  -- Tasks are counted where their number matters: for a limit, or to choose between upstreams.
  with up as (
    select u.*, u.credential_limit is not null or u.model_limit is not null
        or count(*) over (partition by u.priority) > 1 as is_counted
    from rows from (jsonb_to_recordset(p_upstreams) as (name text, credential text, upstream_model text, priority integer,
      weight double precision, capacity integer, credential_limit integer, model_limit integer,
      interval_ms double precision)) with ordinality as u
  ), used as (
    select t.credential, t.upstream_model, count(*)::int as tasks
    from generation.tasks t
    where t.step in ('submit', 'poll') and t.credential is not null
      and t.credential = any(array(select distinct up.credential from up where up.is_counted))
    group by t.credential, t.upstream_model
  ), known as (
    select up.*, case when c.fault is null then greatest(c.until, p_at) else p_at end as free_at,
      c.fault is not null and c.until > p_at or u.fault is not null and u.until > p_at as is_paused,
      case when c.fault is not null or u.fault is not null then true when u.failures > 0 then false end as trial,
      coalesce((select sum(n.tasks) from used n where n.credential = up.credential), 0)::int as at_credential,
      coalesce((select n.tasks from used n
        where n.credential = up.credential and n.upstream_model = up.upstream_model), 0) as at_model
    from up
    left join generation.pauses c on c.name = 'credential ' || up.credential
    left join generation.pauses u on u.name = 'upstream ' || up.name
    order by up.ordinality
  )
  select array_agg(name), array_agg(credential), array_agg(upstream_model), array_agg(priority), array_agg(weight),
    array_agg(credential_limit), array_agg(model_limit), array_agg(interval_ms * interval '1 ms'), array_agg(capacity),
    array_agg(free_at), array_agg(is_paused), array_agg(trial), array_agg(at_credential), array_agg(at_model)
  into v_name, v_credential, v_model, v_priority, v_weight, v_credential_limit, v_model_limit, v_interval, v_capacity,
    v_free_at, v_is_paused, v_is_trial, v_at_credential, v_at_model
  from known;

  if p_moved_id is null then
    v_visited := array(
      with recursive visited as (
        select p_after as account_id, false as is_round, 0 as turn
        union all
        -- The next account in the order of ids, and after the last one the first.
        select next.account_id, next.is_round, v.turn + 1 from visited v cross join lateral (
          (select t.account_id, v.is_round as is_round from generation.tasks t
            where t.step = 'queue' and t.mode = p_mode and t.model = p_model and t.account_id > v.account_id
              and (not v.is_round or t.account_id <= p_after)
            order by t.account_id limit 1)
          union all
          (select t.account_id, true from generation.tasks t
            where not v.is_round and t.step = 'queue' and t.mode = p_mode and t.model = p_model
              and t.account_id <= p_after
            order by t.account_id limit 1)
          order by is_round limit 1) next
        where v.turn < v_max_accounts
      )
      select v.account_id from visited v where v.turn > 0 order by v.turn);
  end if;

  for v_task in
    select v.account_id, waiting.id, occupied.running + waiting.place as load, waiting.created_at, waiting.pictures
    from unnest(v_visited) v (account_id)
    cross join lateral (
      select count(*)::int as running, (count(*) filter (where is_fetching))::int as fetching
      from (
        select v_takes_bytes and t.step = 'submit' and t.submit_token is null and exists (
            select from generation.generations g
            where g.account_id = t.account_id and g.id = t.id and g.input ?| p_picture_fields) as is_fetching
        from generation.tasks t
        where t.account_id = v.account_id and t.mode = p_mode and t.kind = p_kind
          and t.step in ('submit', 'poll') and t.credential is not null
        limit p_account_limit) limited) occupied
    cross join lateral (
      select oldest.*, row_number() over by_age::int as place, sum(oldest.pictures) over by_age as with_pictures
      from (
        select q.id, q.created_at, (v_takes_bytes and exists (
            select from generation.generations g
            where g.account_id = q.account_id and g.id = q.id and g.input ?| p_picture_fields))::int as pictures
        from generation.tasks q
        where q.step = 'queue' and q.mode = p_mode and q.model = p_model and q.account_id = v.account_id
          and q.next_step_at > p_at
        order by q.created_at, q.id
        limit greatest(least(p_limit, p_account_limit - occupied.running), 0)) oldest
      window by_age as (order by oldest.created_at, oldest.id)) waiting
    where waiting.pictures = 0 or waiting.with_pictures <= v_max_fetching - occupied.fetching
    union all
    select p_moved_account, p_moved_id, 0, p_at, 0 where p_moved_id is not null
    order by load, created_at
    limit p_limit
  loop
    v_best := null;
    for i in 1 .. cardinality(v_credential) loop
      exit when v_priority[i] > v_priority[v_best];
      continue when v_is_paused[i] or v_capacity[i] < 1 or v_at_credential[i] >= v_credential_limit[i] or v_at_model[i] >= v_model_limit[i]
        or v_free_at[i] > p_at + greatest(v_max_ahead - v_interval[i], '0')
        or v_at_model[i] / v_weight[i] >= v_at_model[v_best] / v_weight[v_best];
      v_best := i;
    end loop;
    exit when v_best is null;

    v_accounts := v_accounts || v_task.account_id;
    v_ids := v_ids || v_task.id;
    v_chosen := v_chosen || v_best;
    v_pictures := v_pictures || v_task.pictures;
    for i in 1 .. cardinality(v_credential) loop
      continue when v_credential[i] <> v_credential[v_best];
      v_capacity[i] := case when v_is_trial[v_best] then 0 else v_capacity[i] - 1 end;
      v_at_credential[i] := v_at_credential[i] + 1;
      v_at_model[i] := v_at_model[i] + (v_model[i] = v_model[v_best])::int;
      v_free_at[i] := v_free_at[i] + coalesce(v_interval[i], '0');
    end loop;
  end loop;

  insert into generation.pauses as p (name, until)
    select distinct 'credential ' || v_credential[i], v_free_at[i] from unnest(v_chosen) i where v_interval[i] is not null
    on conflict (name) do update set until = greatest(p.until, excluded.until) where p.fault is null;
  update generation.pauses p set until = p_at + v_trial_for
    from unnest(v_chosen) i
    where v_is_trial[i] and p.fault is not null and p.name in ('credential ' || v_credential[i], 'upstream ' || v_name[i]);

  return query
    with assigned as (
      update generation.tasks t
      set step = 'submit', next_step_at = p_at, lease_until = p_lease_until,
        fence = t.fence + (p_moved_id is null)::int,
        upstream = up.name, credential = up.credential, upstream_model = up.upstream_model,
        submit_token = case when is_ready then t.id || '.' || (t.fence + 1) end,
        submitted_at = case when is_ready then p_at else t.submitted_at end
      from unnest(v_accounts, v_ids, v_chosen, v_pictures) as chosen (account_id, id, ordinal, pictures)
      join rows from (jsonb_to_recordset(p_upstreams) as (name text, credential text, upstream_model text,
        takes_bytes boolean)) with ordinality as up on up.ordinality = chosen.ordinal
      cross join lateral (select p_moved_id is null and (chosen.pictures = 0 or not up.takes_bytes) as is_ready) intent
      where t.account_id = chosen.account_id and t.id = chosen.id
        and (p_moved_id is null and t.step = 'queue' or t.fence = p_moved_fence)
      returning t.*
    ), begun as (
      -- The call that makes an image cannot be taken back, so that the image can be canceled no more.
      update generation.generations g set status = 'processing', started_at = p_at
      from assigned a
      where g.account_id = a.account_id and g.id = a.id and g.kind = 'image' and g.status = 'pending'
        and a.submit_token is not null
    )
    -- Read here: the statement that calls this function does not see a generation that was created since it began.
    select row(a.*)::generation.tasks, g, v_visited[cardinality(v_visited)],
      case v_is_trial[array_position(v_name, a.upstream)] when true then p_at + v_trial_for when false then 'epoch' end
    from assigned a
    join generation.generations g on g.account_id = a.account_id and g.id = a.id;
  if not found then
    return query
      select null::generation.tasks, null::generation.generations, v_visited[cardinality(v_visited)], null::timestamptz;
  end if;
end
$$;

grant execute on function generation.assign_slots to media_generation;
