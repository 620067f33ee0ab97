/** A deletion by the account: first recorded, then carried out by step `delete` of a task. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";

/**
 * Records the deletion and makes step `delete` due, of the task that is there or of a new one; raises the fence, which
 * takes the row from its worker. The fence of a new task is higher than any of the earlier one, which counted its
 * claims. False if the generation has not ended, or was deleted before.
 */
export async function deleteGenerationIfEnded(
  sql: Db,
  { accountId, id }: Pick<GenerationRow, "accountId" | "id">,
  at: Date,
): Promise<boolean> {
  const result = await sql`
    with deleted as (
      update generation.generations set deleted_at = ${at}
      where account_id = ${accountId} and id = ${id} and deleted_at is null and completed_at is not null
      returning account_id, id, kind, mode, model, tokens, status, progress, created_at
    )
    insert into generation.tasks as t (account_id, id, kind, mode, model, tokens, step, settling, progress,
      next_step_at, created_at, fence)
    select account_id, id, kind, mode, model, tokens, 'delete', status, progress, ${at}::timestamptz,
      created_at, ${at.getTime()}::bigint
    from deleted
    on conflict (account_id, id) do update
    set step = 'delete', next_step_at = excluded.next_step_at, lease_until = null, failures = 0, fence = t.fence + 1`;
  return result.count === 1;
}

/**
 * Takes the client's content out of a deleted generation and ends its step, unless the worker has lost the row. The names
 * of its upstream jobs go with the last step: until then a job may have to be found.
 */
export async function eraseGenerationIfHeld(
  sql: Db,
  row: GenerationRow,
  next: "stop" | "done",
  at: Date,
): Promise<void> {
  const isHeld = sql`
    account_id = ${row.accountId} and id = ${row.id} and step = ${row.step} and fence = ${row.fence.toString()}`;
  const content = sql`input = '{}', defaulted = '{}', output = '[]', error_message = null`;
  if (next === "stop") {
    await sql`
      with held as (
        update generation.tasks
        set step = 'stop', next_step_at = ${at}, lease_until = null, failures = 0, output = null, error_message = null
        where ${isHeld}
        returning account_id, id
      )
      update generation.generations g set ${content}
      from held where g.account_id = held.account_id and g.id = held.id`;
    return;
  }
  await sql`
    with held as (
      delete from generation.tasks where ${isHeld}
      returning account_id, id
    ), erased as (
      update generation.generations g set ${content}, upstream_id = null, submit_token = null, erased_at = ${at}
      from held where g.account_id = held.account_id and g.id = held.id
      returning g.account_id, g.id
    ) ${deleteOldSubmits(sql)}`;
}

/** For a statement that begins with the generations `erased`: deletes what replicas of 1.0.0 recorded of their jobs. */
export function deleteOldSubmits(sql: Db): ReturnType<Db> {
  return sql`
    delete from generation.submits s using erased
    where s.account_id = erased.account_id and s.generation_id = erased.id`;
}
