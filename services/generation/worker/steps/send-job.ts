/** Sends a task's job to an upstream, once. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import { submitBegunAt } from "../../domain/deadlines.ts";
import { FAILURES } from "../../domain/failures.ts";
import type { GenerationRow } from "../../domain/generation.ts";
import { jobOf, type Job } from "../../domain/job.ts";
import type { Imaged, Picture, Provider, Submitted } from "../../providers/provider.ts";
import { withTimeout } from "../../providers/shared/with-timeout.ts";
import { SUBMIT_TIMEOUT_MS } from "../../upstreams/find-job.ts";
import type { Upstream } from "../../upstreams/upstreams.ts";
import { processingDeadlineOf } from "./step.ts";

export type Answer = Submitted | Imaged;

/** Sends nothing if the worker was paused for so long after its intent that the task may have ended without it. */
export async function sendJob(
  deps: Deps,
  row: GenerationRow,
  upstream: Upstream,
  pictures: readonly Picture[],
): Promise<Answer> {
  const submitBy = addMs(submitBegunAt(row), SUBMIT_TIMEOUT_MS);
  const submitLeftMs = submitBy.getTime() - deps.clock.now().getTime();
  if (submitLeftMs <= 0) return { kind: "unknown" };
  const { provider } = upstream;
  const job = {
    ...jobOf(row, row.submitToken ?? "", deps.catalog, upstream),
    ...(provider.takesBytes ? { pictures } : {}),
  };
  if (row.kind === "image" && provider.image) {
    return makeImage(deps, row, provider.image, job);
  }
  // A submit that was sent is waited for even if the row is lost: its answer names a job.
  return withTimeout(deps.clock, submitLeftMs, deps.deadline, (limit) =>
    provider.submit(job, limit),
  ).catch((error: unknown) => {
    deps.log.warn({ err: error, generation_id: row.id }, "submit not answered");
    return { kind: "unknown" };
  });
}

/** The call may take until the task's deadline, even if the row is lost, because its answer is the image. */
async function makeImage(
  deps: Deps,
  row: GenerationRow,
  image: NonNullable<Provider["image"]>,
  job: Job,
): Promise<Imaged> {
  const deadline = processingDeadlineOf(deps, row, deps.clock.now());
  const leftMs = Math.max(deadline.getTime() - deps.clock.now().getTime(), 0);
  return withTimeout(deps.clock, leftMs, deps.deadline, (limit) => image(job, limit)).catch(
    (error: unknown) => {
      if (deps.deadline.aborted) throw error;
      deps.log.warn({ err: error, generation_id: row.id }, "image call failed");
      const isLate = deps.clock.now() >= deadline;
      return { kind: "failed", failure: isLate ? FAILURES.tookTooLong : FAILURES.interrupted };
    },
  );
}
