/** Submits that were lost with their worker: their deadline is brought forward, and what they may leave is checked. */
import { expect } from "vitest";
import type { Harness } from "../support/generation-harness.ts";
import type { RecordedJob } from "./recording-upstream.ts";

/** How many tasks have not ended. The deadline of a submit that can no longer arrive passes at once. */
export async function unfinished(h: Harness): Promise<number> {
  await h.sql`
    update generation.tasks set submitted_at = submitted_at - interval '1 day', next_step_at = now()
    where step = 'submit' and submit_token is not null and submitted_at < now() - interval '20 s'`;
  const [row] = await h.sql<{ count: number }[]>`
    select count(*)::int as count from generation.tasks`;
  return row?.count ?? -1;
}

/**
 * Expects that each task has one job and succeeded, or has none and failed. Returns the accounts of those that failed.
 */
export async function auditJobs(h: Harness, jobs: readonly RecordedJob[]): Promise<string[]> {
  const rows = await h.sql<
    { id: string; accountId: string; errorCode: string | null; upstreamId: string | null }[]
  >`select id, account_id, error_code, upstream_id from generation.generations`;
  const jobsOf = Map.groupBy(jobs, ({ token }) => token.split(".")[0]);
  for (const { id, errorCode, upstreamId } of rows) {
    const made = jobsOf.get(id) ?? [];
    const kept = made.filter((job) => !job.isCanceled);
    expect(made.length).toBeLessThanOrEqual(1);
    expect([errorCode, kept.map((job) => job.id)]).toEqual(
      upstreamId === null ? ["upstream_timeout", []] : [null, [upstreamId]],
    );
  }
  const failed = rows.filter((row) => row.upstreamId === null);
  process.stdout.write(`${rows.length} tasks, ${jobs.length} jobs, ${failed.length} failed\n`);
  return failed.map((row) => row.accountId);
}
