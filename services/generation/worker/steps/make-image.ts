/** Makes an image within one upstream call, copies it and decides how it ends. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../../deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { jobOf } from "../../domain/job.ts";
import type { Source } from "../../providers/provider.ts";
import { decideFailed, decideSuccess, intendSubmit, later } from "../step.ts";
import { storeOutput } from "./store-output.ts";
import type { Stored } from "./store-output.ts";

const IMAGE_DEADLINE_MS = 5 * 60 * 1000;
const NO_ROUTE_RETRY_MS = 1_000;

export async function makeImage(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
): Promise<GenerationRow | undefined> {
  // NOTE: an answer that a crash cut off cannot be asked for again, and asking anew could make a second picture.
  if (row.submit_token !== null) return decideFailed(deps, row, FAILURES.cutOff);
  const deadline = addMs(row.created_at, IMAGE_DEADLINE_MS);
  const leftMs = deadline.getTime() - deps.clock.now().getTime();
  if (leftMs <= 0) return decideFailed(deps, row, FAILURES.tookTooLong);
  const [route] = deps.providers.routes(row.mode, row.model);
  if (!route?.provider.image) return later(deps, row, NO_ROUTE_RETRY_MS);
  const { token, intended } = await intendSubmit(deps, row, route.name);
  if (!intended) return undefined;
  const timeout = AbortSignal.timeout(leftMs);
  const limited = AbortSignal.any([signal, timeout]);
  const imaged = await route.provider
    .image(jobOf(intended, token, deps.catalog, route), limited)
    .catch((error: unknown) => {
      if (signal.aborted) throw error;
      deps.log.warn({ err: error, generation_id: row.id }, "image call failed");
      const failure = timeout.aborted ? FAILURES.tookTooLong : FAILURES.cutOff;
      return { kind: "failed" as const, failure };
    });
  switch (imaged.kind) {
    case "failed":
      return decideFailed(deps, intended, imaged.failure);
    case "closed":
    case "rejected": {
      const hint = imaged.kind === "rejected" ? imaged.retryAfterMs : undefined;
      const afterMs = hint ?? backoffMs(row.failures, deps.random());
      return later(deps, intended, afterMs, { submit_token: null, failures: row.failures + 1 });
    }
    case "succeeded": {
      const stored = await storeUntil(deps, intended, imaged.sources, limited);
      return stored.kind === "stored"
        ? decideSuccess(deps, intended, stored.output)
        : decideFailed(deps, intended, stored.failure);
    }
  }
}

/** The result is in our hands only now, so the copy is tried until the deadline. */
async function storeUntil(
  deps: Deps,
  row: GenerationRow,
  sources: readonly Source[],
  signal: AbortSignal,
): Promise<Stored> {
  for (let failures = 0; ; failures++) {
    try {
      return await storeOutput(deps, row, sources, signal);
    } catch (error) {
      if (signal.aborted) return { kind: "failed", failure: FAILURES.notStorable };
      deps.log.warn({ err: error, generation_id: row.id }, "copy failed; it is tried again");
      await deps.clock.sleep(backoffMs(failures, deps.random()), signal);
    }
  }
}
