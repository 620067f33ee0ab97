/** Which upstreams serve which model in which mode, and what they can take. */
import type { ModeName } from "#runtime/mode.ts";
import type { SubmitAddress } from "../domain/callback.ts";
import type { OperatorFault, Provider } from "../providers/provider.ts";

export type Upstream = {
  /** From the routes file; the row stores it. Never shown to clients. */
  name: string;
  /** Names the upstream account; upstream ids are unique within it, limits count by it. */
  credential: string;
  provider: Provider;
  upstreamModel: string;
  parameters: Readonly<Record<string, unknown>>;
  /** Tasks at a time at this route's credential and for this model there; undefined: no limit. */
  limits: { credentialConcurrency?: number; modelConcurrency?: number; submitsPerSecond?: number };
  /** Where its upstream may call back about a submit; absent where it calls nobody back. */
  callbackUrl?: (submit: SubmitAddress) => string;
};

/** What a submit said about the health of its route. */
export type UpstreamReport =
  | { kind: "ok" | "unavailable" }
  | { kind: "closed"; fault: OperatorFault; detail: string };

export type Upstreams = {
  /** The routes that may take a task now, best first: closed and open-circuit ones are left out. */
  available: (mode: ModeName, model: string) => Upstream[];
  /** Whether the model has any route in this mode, closed or not (docs/contract.md, `no_route`). */
  isServed: (mode: ModeName, model: string) => boolean;
  /** The route that a task was given to before, also where it takes no new ones. */
  byName: (name: string) => Upstream | undefined;
  /** What a submit says about the route's health, for the circuit breaker; operators are alerted of a closed one. */
  report: (route: Upstream, outcome: UpstreamReport) => void;
};

const SIMULATOR = "simulator";

const NONE: Upstreams = {
  available: () => [],
  isServed: () => false,
  byName: () => undefined,
  report: () => {},
};

/**
 * Test mode always runs on the simulator. Live mode runs on it too where `liveProvider` says so, else on the
 * configured routes. A task goes on where it was begun, whatever has changed since.
 */
export function createUpstreams(
  simulator: Provider,
  liveProvider: "none" | "simulator",
  configured: Upstreams = NONE,
): Upstreams {
  const own: Upstream = {
    name: SIMULATOR,
    credential: SIMULATOR,
    provider: simulator,
    upstreamModel: SIMULATOR,
    parameters: {},
    limits: {},
  };
  const isSimulated = (mode: ModeName) => mode === "test" || liveProvider === SIMULATOR;
  return {
    available: (mode, model) => (isSimulated(mode) ? [own] : configured.available(mode, model)),
    isServed: (mode, model) => isSimulated(mode) || configured.isServed(mode, model),
    byName: (name) => (name === SIMULATOR ? own : configured.byName(name)),
    report: (route, outcome) => {
      if (route.name !== SIMULATOR) configured.report(route, outcome);
    },
  };
}
