/** Gives a video to an upstream: at most one job a task, whatever breaks (architecture.md, invariant 6). */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { jobOf } from "../../domain/job.ts";
import type { Route } from "../../providers/index.ts";
import { findGeneration } from "../../store/generations.ts";
import { updateGenerationIfHeld } from "../../store/steps.ts";
import { findSubmit, insertSubmit } from "../../store/submits.ts";
import { decideFailed, intendSubmit, later, lostSubmitOf } from "../step.ts";

const PENDING_DEADLINE_MS = 24 * 60 * 60 * 1000;
const PROCESSING_DEADLINE_MS = 20 * 60 * 1000;
const FIRST_POLL_MS = 500;
const NO_ROUTE_RETRY_MS = 10_000;
const SUBMIT_TIMEOUT_MS = 15_000;

export async function submit(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  if (row.submit_token !== null) return resume(deps, row, row.submit_token, signal);
  if (deps.clock.now() > addMs(row.created_at, PENDING_DEADLINE_MS)) {
    return decideFailed(deps, row, FAILURES.neverStarted);
  }
  const [route] = deps.providers.routes(row.mode, row.model);
  if (!route) return later(deps, row, NO_ROUTE_RETRY_MS);
  const { token, intended } = await intendSubmit(deps, row, route.name);
  return intended && send(deps, intended, route, token, signal);
}

async function send(
  deps: Deps,
  row: GenerationRow,
  route: Route,
  token: string,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(SUBMIT_TIMEOUT_MS)]);
  const submitted = await route.provider.submit(jobOf(row, token, deps.catalog, route), limited);
  switch (submitted.kind) {
    case "accepted":
      return accepted(deps, row, route, token, submitted.upstreamId);
    case "refused":
      return decideFailed(deps, row, submitted.failure);
    case "closed":
      return again(deps, row, undefined);
    case "rejected":
      return again(deps, row, submitted.retryAfterMs);
    case "unknown":
      return later(deps, row, backoffMs(row.failures, deps.random()), {
        failures: row.failures + 1,
      });
  }
}

/** A submit that was begun before: whatever became of it, it is not sent again unless it certainly never arrived. */
async function resume(
  deps: Deps,
  row: GenerationRow,
  token: string,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const route = deps.providers.named(row.provider ?? "");
  if (!route) throw new Error(`provider ${row.provider ?? "(none)"} is not configured any more`);
  const known = await findSubmit(deps.sql, row.account_id, row.id, token);
  if (known) return accepted(deps, row, route, token, known.upstream_id);
  const found = await route.provider.find(lostSubmitOf(deps, row, route), signal);
  switch (found.kind) {
    case "found":
      return accepted(deps, row, route, token, found.upstreamId);
    case "absent":
      return again(deps, row, 0);
    case "unknown":
      if (deps.clock.now() > addMs(row.created_at, PROCESSING_DEADLINE_MS)) {
        return decideFailed(deps, row, FAILURES.tookTooLong);
      }
      return later(deps, row, backoffMs(row.failures, deps.random()), {
        failures: row.failures + 1,
      });
  }
}

/** The upstream certainly has nothing of this submit; the next one gets a token of its own. */
function again(deps: Deps, row: GenerationRow, afterMs: number | undefined): Promise<undefined> {
  return later(deps, row, afterMs ?? backoffMs(row.failures, deps.random()), {
    submit_token: null,
    failures: row.failures + 1,
  });
}

async function accepted(
  deps: Deps,
  row: GenerationRow,
  route: Route,
  token: string,
  upstreamId: string,
): Promise<undefined> {
  const now = deps.clock.now();
  const submitted = {
    account_id: row.account_id,
    generation_id: row.id,
    submit_token: token,
    credential: route.credential,
    upstream_id: upstreamId,
  };
  await insertSubmit(deps.sql, submitted, now);
  const started = await updateGenerationIfHeld(deps.sql, row, {
    step: "poll",
    status: "processing",
    upstream_id: upstreamId,
    failures: 0,
    started_at: now,
    deadline_at: addMs(now, PROCESSING_DEADLINE_MS),
    next_step_at: addMs(now, FIRST_POLL_MS),
    lease_until: null,
  });
  if (started) return;
  const current = await findGeneration(deps.sql, row.account_id, row.id);
  if (current?.settling === "canceled") {
    await route.provider.cancel(upstreamId, AbortSignal.timeout(SUBMIT_TIMEOUT_MS));
  }
}
