/** Finds and cancels jobs at their upstreams, within seconds. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { jobOf, type Frames } from "../domain/job.ts";
import type { Provider } from "../providers/provider.ts";
import { withTimeout } from "../providers/shared/http.ts";
import { findOldSubmit } from "../store/ends.ts";
import type { Writes } from "../store/writes.ts";
import type { Upstream } from "./upstreams.ts";

/** From the intent of a submit: how long it is sent and its answer waited for. */
export const SUBMIT_TIMEOUT_MS = 15_000;
const FIND_TIMEOUT_MS = 15_000;

/** The id of the row's job; of a lost submit what the upstream finds. Throws if the upstream cannot be reached. */
export async function findJob(
  deps: { sql: Sql; clock: Clock; catalog: Frames },
  row: GenerationRow,
  upstream: Upstream,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const upstreamId = row.upstreamId ?? (await findOldSubmit(deps.sql, row))?.upstreamId;
  if (upstreamId !== undefined) return upstreamId;
  const job = jobOf(row, row.submitToken ?? "", deps.catalog, upstream);
  return withTimeout(deps.clock, FIND_TIMEOUT_MS, signal, async (limit) =>
    upstream.provider.find?.(job, limit),
  );
}

/**
 * Cancels the row's job; false if none is found. One that only the upstream names is recorded instead, for step `stop`,
 * which throws where it is another task's. Throws also as findJob and cancelJob do.
 */
export async function stopJob(
  deps: Parameters<typeof findJob>[0] & { writes: Pick<Writes, "accept"> },
  row: GenerationRow,
  upstream: Upstream,
  signal?: AbortSignal,
): Promise<boolean> {
  const upstreamId = await findJob(deps, row, upstream, signal);
  if (upstreamId === undefined) return false;
  const at = deps.clock.now();
  const job = { upstreamId, startedAt: at, deadlineAt: at };
  const isRecorded = row.upstreamId === null && (await deps.writes.accept(row, job));
  if (!isRecorded) await cancelJob(deps.clock, upstream.provider, upstreamId);
  return true;
}

const TIMEOUT_MS = 10_000;

/** True if the job certainly stopped. Throws without an answer in 10 s. Callers cannot abort it: jobs cost money. */
export function cancelJob(
  clock: Clock,
  provider: Pick<Provider, "cancel">,
  upstreamId: string,
): Promise<boolean> {
  return withTimeout(clock, TIMEOUT_MS, undefined, (signal) => provider.cancel(upstreamId, signal));
}
