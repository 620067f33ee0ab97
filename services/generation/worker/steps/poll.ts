/** Asks the upstream how far a video is; where it is done, copies it and decides success. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { Deps } from "../../deps.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import type { Polled } from "../../providers/provider.ts";
import { findGeneration } from "../../store/generations.ts";
import { decideGenerationIfOpen } from "../../store/steps.ts";
import { decideFailed, decideSuccess, later } from "../step.ts";
import { storeOutput } from "./store-output.ts";

const POLL_TIMEOUT_MS = 10_000;
const CANCEL_TIMEOUT_MS = 10_000;
/** Progress below this is before success. */
const MOST_PROGRESS = 99;

export async function poll(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  const provider = deps.providers.named(row.provider ?? "")?.provider;
  if (!provider || row.upstream_id === null) {
    throw new Error(`provider ${row.provider ?? "(none)"} is not configured any more`);
  }
  const limited = AbortSignal.any([signal, AbortSignal.timeout(POLL_TIMEOUT_MS)]);
  const isLate = row.deadline_at !== null && deps.clock.now() > row.deadline_at;
  const polled = await provider.poll(row.upstream_id, limited).catch((error: unknown): Polled => {
    if (isLate) return { kind: "running", pollAfterMs: 0 };
    throw error;
  });
  switch (polled.kind) {
    case "running": {
      if (isLate) {
        const giveUp = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
        await provider.cancel(row.upstream_id, giveUp).catch(() => false);
        return decideFailed(deps, row, FAILURES.tookTooLong);
      }
      const progress = Math.min(Math.floor(polled.progress ?? 0), MOST_PROGRESS);
      return later(deps, row, polled.pollAfterMs, {
        progress: Math.max(row.progress, progress),
        failures: 0,
      });
    }
    case "succeeded": {
      const stored = await storeOutput(deps, row, polled.sources, signal).catch(
        (error: unknown) => {
          const canRetry = !isLate && ConnectError.from(error).code !== Code.InvalidArgument;
          if (canRetry) throw error;
          return { kind: "failed" as const, failure: FAILURES.notStorable };
        },
      );
      return stored.kind === "stored"
        ? decideSuccess(deps, row, stored.output)
        : decideFailed(deps, row, stored.failure);
    }
    case "failed":
      return decideFailed(deps, row, polled.failure);
    case "stopped": {
      const current = await findGeneration(deps.sql, row.account_id, row.id);
      return current?.cancel_requested_at
        ? decideGenerationIfOpen(deps.sql, row, { settling: "canceled" })
        : decideFailed(deps, row, FAILURES.stopped);
    }
    case "gone":
      return decideFailed(deps, row, FAILURES.resultGone);
  }
}
