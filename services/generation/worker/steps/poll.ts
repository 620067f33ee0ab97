/** Asks the upstream how far a job is; where it is done, copies it and decides success. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Deps } from "../../deps.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { pollIntervalMs } from "../../domain/poll-interval.ts";
import { progressOf } from "../../domain/progress.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import type { Polled, Source } from "../../providers/provider.ts";
import { findGeneration } from "../../store/generations.ts";
import { decideCanceled, decideFailed, decideSuccess, reschedule } from "../step.ts";
import { storeOutput } from "./store-output.ts";

const POLL_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 10_000;

export async function poll(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const isLate = row.deadline_at !== null && deps.clock.now() > row.deadline_at;
  const polled = await look(deps, row, signal).catch((error: unknown): Polled => {
    if (isLate) return { kind: "running", pollAfterMs: 0 };
    throw error;
  });
  switch (polled.kind) {
    case "running":
      return isLate ? giveUp(deps, row) : keepRunning(deps, row, polled);
    case "succeeded":
      return store(deps, row, polled.sources, isLate, signal);
    case "failed":
      return decideFailed(deps, row, polled.failure);
    case "stopped": {
      const current = await findGeneration(deps.sql, row.account_id, row.id);
      return current?.cancel_requested_at
        ? decideCanceled(deps, row)
        : decideFailed(deps, row, FAILURES.stopped);
    }
    case "gone":
      return decideFailed(deps, row, FAILURES.resultGone);
  }
}

async function look(deps: Deps, row: GenerationRow, signal: AbortSignal): Promise<Polled> {
  const { provider } = deps.upstreams.byName(row.provider ?? "") ?? {};
  const upstreamId = row.upstream_id;
  if (!provider || upstreamId === null) {
    throw new Error(`route ${row.provider ?? "(none)"} is not configured any more`);
  }
  return withTimeout(deps.clock, POLL_TIMEOUT_MS, signal, (limit) =>
    provider.poll(upstreamId, limit),
  );
}

async function keepRunning(
  deps: Deps,
  row: GenerationRow,
  polled: Extract<Polled, { kind: "running" }>,
): Promise<undefined> {
  const now = deps.clock.now();
  const ageMs = now.getTime() - (row.started_at ?? row.created_at).getTime();
  const typicalMs = await deps.durations.typicalMs(row.mode, row.model);
  const afterMs = pollIntervalMs(row.kind, polled.pollAfterMs, ageMs, deps.random());
  const progress = progressOf(row.progress, polled.progress, ageMs, typicalMs);
  return reschedule(deps, row, afterMs, { progress, failures: 0 });
}

/** Past its deadline: nobody waits for it any more, so the upstream may stop, if it can. */
async function giveUp(deps: Deps, row: GenerationRow): Promise<GenerationRow | undefined> {
  const { provider } = deps.upstreams.byName(row.provider ?? "") ?? {};
  const never = new AbortController().signal;
  await withTimeout(deps.clock, CANCEL_TIMEOUT_MS, never, async (limit) =>
    provider?.cancel(row.upstream_id ?? "", limit),
  ).catch(() => undefined);
  return decideFailed(deps, row, FAILURES.tookTooLong);
}

async function store(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  isLate: boolean,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const stored = await storeOutput(deps, row, sources, signal).catch((error: unknown) => {
    const canRetry = !isLate && ConnectError.from(error).code !== Code.InvalidArgument;
    if (canRetry || signal.aborted) throw error;
    return { kind: "failed" as const, failure: FAILURES.notStorable };
  });
  return stored.kind === "stored"
    ? decideSuccess(deps, row, stored.output)
    : decideFailed(deps, row, stored.failure);
}
