/** A circuit breaker around a route's submits: after failures in a row it lets none through for a while, then one. */
import {
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleAll,
  isBrokenCircuitError,
  IterableBackoff,
} from "cockatiel";
import { addMs } from "#runtime/clock.ts";
import type { Clock } from "#runtime/clock.ts";
import type { Imaged, Provider, Submitted } from "../providers/provider.ts";

const FAILURES_IN_A_ROW = 5;
/** How long an open circuit lets nothing through, by the number of trials that have failed. */
const OPEN_FOR_MS = [10_000, 20_000, 40_000, 60_000] as const;

const NOTHING_SENT = { kind: "rejected", fault: "unavailable" } as const;

export type Circuit = {
  /** Whether a submit would be sent: the circuit is closed, or its trial is due. */
  isReady: () => boolean;
  /** The same provider with its submits behind the circuit: where that is open, nothing is sent. */
  guard: (provider: Provider) => Provider;
};

/** `onChange` hears whether the circuit lets everything through. */
export function createCircuit(clock: Clock, onChange: (isClosed: boolean) => void): Circuit {
  const breaker = circuitBreaker(handleAll.orWhenResult(isFailure), {
    halfOpenAfter: new IterableBackoff(OPEN_FOR_MS),
    breaker: new ConsecutiveBreaker(FAILURES_IN_A_ROW),
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

  const through = async <T extends Submitted | Imaged>(
    send: () => Promise<T>,
  ): Promise<T | typeof NOTHING_SENT> => {
    // NOTE: the library would let it wait for the trial's end; another route can take it at once.
    if (breaker.state === CircuitState.HalfOpen) return NOTHING_SENT;
    try {
      return await breaker.execute(send);
    } catch (error) {
      if (isBrokenCircuitError(error)) return NOTHING_SENT;
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
      return {
        ...provider,
        submit: (job, signal) => through(() => provider.submit(job, signal)),
        ...(image ? { image: (job, signal) => through(() => image(job, signal)) } : {}),
      };
    },
  };
}

/** A request that was throttled or turned down was answered: the upstream works. */
function isFailure(answer: unknown): boolean {
  const said = answer as Submitted | Imaged;
  return said.kind === "unknown" || (said.kind === "rejected" && said.fault === "unavailable");
}
