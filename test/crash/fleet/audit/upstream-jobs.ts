/** Every task has one upstream job, and its row knows it. */
import type { Check } from "./evidence.ts";

export const checkUpstreamJobs: Check = async ({ query, upstream, rows, orders }) => {
  const wrong: string[] = [];
  const jobs = new Map<string, Set<string>>();
  for (const { token, id } of upstream.submits) {
    const [taskId = ""] = token.split(".");
    jobs.set(taskId, (jobs.get(taskId) ?? new Set()).add(id));
  }
  const known = await query(
    (sql) => sql<{ upstream_id: string }[]>`
      select upstream_id from generation.generations union select upstream_id from generation.tasks`,
  );
  const recorded = new Set(known.map(({ upstream_id: id }) => id));
  for (const [taskId, ids] of jobs) {
    const row = rows.get(taskId);
    if (ids.size > 1) wrong.push(`${taskId} has ${ids.size} upstream jobs`);
    if (!row) wrong.push(`an upstream job was made for ${taskId}, which does not exist`);
    const [id = ""] = ids;
    // A task that was stopped between a submit and its answer need not know the job.
    const isStopped = orders.get(taskId)?.stoppedBy !== undefined;
    if (row?.kind === "video" && !isStopped && !recorded.has(id))
      wrong.push(`the upstream job of ${taskId} is not recorded`);
  }
  for (const { id, kind, status, upstream_id: upstreamId } of rows.values()) {
    if (status !== "success") continue;
    const made = jobs.get(id);
    if (!made) wrong.push(`${id} succeeded without an upstream job`);
    else if (kind === "video" && !made.has(upstreamId ?? "")) {
      wrong.push(`${id} was made from a job that is not its own`);
    }
  }
  return wrong;
};
