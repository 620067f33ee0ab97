/** Finds the job of a submit whose answer was lost: as it was recorded, or by asking the upstream. */
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { submitBegunAt } from "../domain/deadlines.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { jobOf, type Frames } from "../domain/job.ts";
import type { Found } from "../providers/provider.ts";
import { withTimeout } from "../providers/shared/with-timeout.ts";
import { findSubmit } from "../store/submits.ts";
import type { Upstream } from "./upstreams.ts";

/** From the intent of a submit: how long it is sent and its answer waited for. */
export const SUBMIT_TIMEOUT_MS = 15_000;
const FIND_TIMEOUT_MS = 15_000;

type FindDeps = { clock: Clock; catalog: Frames };

/** What is recorded of the row's submit, else what the upstream knows of it. Throws if that cannot be reached. */
export async function findJob(
  deps: FindDeps & { sql: Sql },
  row: GenerationRow,
  upstream: Upstream,
  signal?: AbortSignal,
): Promise<Found> {
  const known = await findSubmit(deps.sql, row.accountId, row.id, row.submitToken ?? "");
  return known
    ? { kind: "found", upstreamId: known.upstreamId }
    : findLostSubmit(deps, row, upstream, signal);
}

/** What the upstream knows of the row's submit. Throws if the upstream cannot be reached. */
export async function findLostSubmit(
  deps: FindDeps,
  row: GenerationRow,
  upstream: Upstream,
  signal?: AbortSignal,
): Promise<Found> {
  const sentAt = submitBegunAt(row);
  const job = jobOf(row, row.submitToken ?? "", deps.catalog, upstream);
  return withTimeout(deps.clock, FIND_TIMEOUT_MS, signal, (limit) =>
    upstream.provider.find({ job, sentAt }, limit),
  );
}
