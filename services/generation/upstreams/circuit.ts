/** A circuit breaker for the submits of an upstream: consecutive failures open it; after a pause one trial is sent. */
import { addMs, type Clock } from "#runtime/clock.ts";
import { namesUrls } from "../domain/job.ts";
import type { Imaged, Job, Provider, Submitted } from "../providers/provider.ts";

const MAX_CONSECUTIVE_FAILURES = 5;
/** How long the circuit stays open before the next trial, by the number of failed trials. */
const OPEN_FOR_MS = [10_000, 20_000, 40_000, 60_000] as const;

const NOTHING_SENT = { kind: "rejected", fault: "unavailable" } as const;

export type Circuit = {
  /** True if a submit would be sent: the circuit is closed, or a trial is due. */
  isReady: () => boolean;
  /** Returns the provider with its submits guarded by the circuit: while that is open, nothing is sent. */
  guard: (provider: Provider) => Provider;
};

/** Calls `onChange` with false whenever the circuit opens, after a failed trial too, and with true when it closes. */
export function createCircuit(clock: Clock, onChange: (isClosed: boolean) => void): Circuit {
  let failures = 0;
  let openings = 0;
  /** When the next trial is due, or was begun; undefined while the circuit is closed. */
  let trialAt: Date | undefined;
  let isTrying = false;

  const isReady = () => trialAt === undefined || (!isTrying && clock.now() >= trialAt);

  /** `isFailure` is undefined for an outcome that says nothing about the upstream. */
  const judge = (isTrial: boolean, isFailure: boolean | undefined) => {
    if (isFailure !== undefined) failures = isFailure ? failures + 1 : 0;
    if (isTrial) isTrying = false;
    if (isTrial && !isFailure) {
      trialAt = undefined;
      openings = 0;
      onChange(true);
    } else if (isTrial || (trialAt === undefined && failures >= MAX_CONSECUTIVE_FAILURES)) {
      trialAt = addMs(clock.now(), OPEN_FOR_MS[Math.min(openings, OPEN_FOR_MS.length - 1)] ?? 0);
      openings += 1;
      onChange(false);
    }
  };

  return {
    isReady,
    guard: (provider) => {
      const { image } = provider;
      const guarded =
        <T extends Submitted | Imaged>(send: (job: Job, signal: AbortSignal) => Promise<T>) =>
        async (job: Job, signal: AbortSignal): Promise<T | typeof NOTHING_SENT> => {
          if (!isReady()) return NOTHING_SENT;
          const isTrial = trialAt !== undefined;
          if (isTrial) isTrying = true;
          // A customer's slow or broken host may be why a job with pictures that the upstream fetches itself got no answer,
          // or one that leaves all open: that neither opens the circuit nor keeps it open.
          const isLostFailure = provider.takesBytes || !namesUrls(job) || undefined;
          try {
            const outcome = await send(job, signal);
            judge(isTrial, outcome.kind === "unknown" ? isLostFailure : isUnavailable(outcome));
            return outcome;
          } catch (error) {
            judge(isTrial, isLostFailure);
            throw error;
          }
        };
      return {
        ...provider,
        submit: guarded(provider.submit),
        ...(image ? { image: guarded(image) } : {}),
      };
    },
  };
}

/** An upstream that throttles or refuses a request has answered, so neither is a failure. */
function isUnavailable(outcome: Submitted | Imaged): boolean {
  return outcome.kind === "rejected" && outcome.fault === "unavailable";
}
