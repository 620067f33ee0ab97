/** Finds the job of a submit whose answer was lost. */
import type { Clock } from "#runtime/clock.ts";
import { submitBegunAt } from "../domain/deadlines.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { jobOf, type Frames } from "../domain/job.ts";
import type { Found } from "../providers/provider.ts";
import { withTimeout } from "../providers/shared/http.ts";
import type { Upstream } from "./upstreams.ts";

/** From the intent of a submit: how long it is sent and its answer waited for. */
export const SUBMIT_TIMEOUT_MS = 15_000;
const FIND_TIMEOUT_MS = 15_000;

type FindDeps = { clock: Clock; catalog: Frames };

/** The row's job, or what the upstream knows of its submit. Throws if the upstream cannot be reached. */
export async function findJob(
  deps: FindDeps,
  row: GenerationRow,
  upstream: Upstream,
  signal?: AbortSignal,
): Promise<Found> {
  if (row.upstreamId !== null) return { kind: "found", upstreamId: row.upstreamId };
  const sentAt = submitBegunAt(row);
  const job = jobOf(row, row.submitToken ?? "", deps.catalog, upstream);
  return withTimeout(deps.clock, FIND_TIMEOUT_MS, signal, (limit) =>
    upstream.provider.find({ job, sentAt }, limit),
  );
}
