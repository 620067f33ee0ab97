/** A circuit breaker for the submits of an upstream: consecutive failures open it; after a pause one trial is sent. */
import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  isBrokenCircuitError,
  IterableBackoff,
} from "cockatiel";
import { addMs, type Clock } from "#runtime/clock.ts";
import { namesUrls } from "../domain/job.ts";
import type { Imaged, Job, Provider, Submitted } from "../providers/provider.ts";

const MAX_CONSECUTIVE_FAILURES = 5;
/** How long the circuit stays open before the next trial, by the number of failed trials. */
const OPEN_FOR_MS = [10_000, 20_000, 40_000, 60_000] as const;

const NOTHING_SENT = { kind: "rejected", fault: "unavailable" } as const;

/**
 * No answer, or one that leaves all open, to a job whose pictures the upstream fetches itself: a customer's slow or
 * broken host may be the cause. It neither opens the circuit nor keeps it open.
 */
class InconclusiveError<T> extends Error {
  override name = "InconclusiveError";
  readonly outcome: Promise<T>;

  constructor(outcome: Promise<T>) {
    super("the upstream waits for hosts of the customer");
    this.outcome = outcome;
  }
}

export type Circuit = {
  /** True if a submit would be sent: the circuit is closed, or a trial is due. */
  isReady: () => boolean;
  /** Returns the provider with its submits guarded by the circuit: while that is open, nothing is sent. */
  guard: (provider: Provider) => Provider;
};

/** Calls `onChange` on every change of state, with true if the circuit is now closed. */
export function createCircuit(clock: Clock, onChange: (isClosed: boolean) => void): Circuit {
  const breaker = circuitBreaker(handleWhen(isConclusive).orWhenResult(isFailure), {
    halfOpenAfter: new IterableBackoff(OPEN_FOR_MS),
    breaker: new ConsecutiveBreaker(MAX_CONSECUTIVE_FAILURES),
  });
  let openings = 0;
  let trialAt = new Date(0);
  breaker.onStateChange((state) => {
    if (state === CircuitState.Closed) openings = 0;
    if (state === CircuitState.Open) {
      trialAt = addMs(clock.now(), OPEN_FOR_MS[Math.min(openings, OPEN_FOR_MS.length - 1)] ?? 0);
      openings += 1;
    }
    onChange(state === CircuitState.Closed);
  });

  const sendGuarded = async <T extends Submitted | Imaged>(
    send: () => Promise<T>,
  ): Promise<T | typeof NOTHING_SENT> => {
    // NOTE: cockatiel would hold this call until the trial ends; another upstream can take it at once.
    if (breaker.state === CircuitState.HalfOpen) return NOTHING_SENT;
    try {
      return await breaker.execute(send);
    } catch (error) {
      if (isBrokenCircuitError(error)) return NOTHING_SENT;
      if (error instanceof InconclusiveError) return (error as InconclusiveError<T>).outcome;
      throw error;
    }
  };

  return {
    isReady: () =>
      breaker.state === CircuitState.Open
        ? clock.now() >= trialAt
        : breaker.state === CircuitState.Closed,
    guard: (provider) => {
      const { image } = provider;
      const isJudged = (job: Job) => provider.takesBytes || !namesUrls(job);
      const guarded =
        <T extends Submitted | Imaged>(send: (job: Job, signal: AbortSignal) => Promise<T>) =>
        (job: Job, signal: AbortSignal) =>
          sendGuarded(() => (isJudged(job) ? send(job, signal) : conclusive(send(job, signal))));
      return {
        ...provider,
        submit: guarded(provider.submit),
        ...(image ? { image: guarded(image) } : {}),
      };
    },
  };
}

/** Rejects with an InconclusiveError unless the outcome is the upstream's own. */
async function conclusive<T extends Submitted | Imaged>(outcome: Promise<T>): Promise<T> {
  const isKnown = await outcome.then(
    ({ kind }) => kind !== "unknown",
    () => false,
  );
  if (!isKnown) throw new InconclusiveError(outcome);
  return outcome;
}

function isConclusive(error: unknown): boolean {
  return !(error instanceof InconclusiveError);
}

/** An upstream that throttles or refuses a request has answered, so neither is a failure. */
function isFailure(outcome: unknown): boolean {
  const result = outcome as Submitted | Imaged;
  return (
    result.kind === "unknown" || (result.kind === "rejected" && result.fault === "unavailable")
  );
}
