/** Pauses upstreams and their accounts by the outcomes of their submits (docs/upstreams.md). */
import type { Base } from "#runtime/service/service.ts";
import type { GenerationRow } from "../domain/generation.ts";
import { namesUrls, type Job } from "../domain/job.ts";
import { pauseName, pauseRule, type PauseFault } from "../domain/pause-rules.ts";
import type { Imaged, Submitted } from "../providers/provider.ts";
import { countFailure, endPauses } from "../store/slots.ts";
import type { Upstream } from "./upstreams.ts";

export type PauseDeps = Pick<Base, "sql" | "clock" | "log"> & { deadline: AbortSignal };

export type NotedSubmit = { row: Pick<GenerationRow, "trialUntil">; upstream: Upstream; job: Job };

/** Never throws: what cannot be noted is noted with the next submit. */
export async function noteSubmit(
  deps: PauseDeps,
  submit: NotedSubmit,
  answer: Submitted | Imaged,
): Promise<void> {
  // A stop of this process cuts submits off, which is no fault of the upstream.
  if (answer.kind === "unknown" && deps.deadline.aborted) return;
  await judge(deps, submit, answer).catch((err: unknown) =>
    deps.log.warn({ err, upstream: submit.upstream.name }, "a pause could not be noted"),
  );
}

function judge(deps: PauseDeps, submit: NotedSubmit, answer: Submitted | Imaged): Promise<void> {
  const { row, upstream, job } = submit;
  switch (answer.kind) {
    case "closed":
      return pause(deps, submit, answer.fault);
    case "rejected":
      return pause(deps, submit, answer.fault, answer.retryAfterMs);
    case "unknown": {
      // A customer's slow or broken host may be why a job with pictures that the upstream fetches itself got no answer:
      // that neither pauses the upstream nor keeps it paused.
      const isOpen = !upstream.provider.takesBytes && namesUrls(job);
      if (!isOpen) return pause(deps, submit, "unavailable");
      return row.trialUntil?.getTime() ? end(deps, submit) : Promise.resolve();
    }
    default:
      return end(deps, submit);
  }
}

/** A fault of the account pauses all upstreams of its credential. */
async function pause(
  { sql, clock, log }: PauseDeps,
  { row, upstream }: NotedSubmit,
  fault: PauseFault,
  askedMs?: number,
): Promise<void> {
  const isOfUpstream = fault === "config" || fault === "unavailable";
  const name = isOfUpstream
    ? pauseName.upstream(upstream.name)
    : pauseName.credential(upstream.credential);
  const rule = pauseRule(fault, askedMs);
  const until = await countFailure(sql, name, rule, clock.now(), row.trialUntil ?? null);
  if (!until || fault === "rate_limited") return;
  const fields = { paused: name, upstream: upstream.name, fault };
  if (fault === "unavailable") log.warn(fields, "the upstream is paused");
  else log.error({ alert: true, ...fields }, "refused by the upstream; paused, operators must act");
}

async function end({ sql, clock, log }: PauseDeps, { row, upstream }: NotedSubmit): Promise<void> {
  // The upstream had neither a pause nor a failure when the task got its slot.
  if (!row.trialUntil) return;
  const names = [pauseName.upstream(upstream.name), pauseName.credential(upstream.credential)];
  const ended = await endPauses(sql, names, clock.now(), row.trialUntil);
  if (ended.length > 0) log.info({ upstream: upstream.name }, "a paused upstream works again");
}
