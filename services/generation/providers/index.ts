/** Which upstreams serve which model in which mode, and what they can take. */
import type { ModeName } from "#runtime/mode.ts";
import type { OperatorFault, Provider } from "./provider.ts";

export type Route = {
  /** From the routes file; the row stores it. Never shown to clients. */
  name: string;
  /** Names the upstream account; upstream ids are unique within it, limits count by it. */
  credential: string;
  provider: Provider;
  upstreamModel: string;
  parameters: Readonly<Record<string, unknown>>;
  /** Tasks at a time at this route's credential and for this model there; undefined: no limit. */
  limits: { credentialConcurrency?: number; modelConcurrency?: number; submitsPerSecond?: number };
};

/** What a submit said about the health of its route. */
export type RouteReport =
  | { kind: "ok" | "unavailable" }
  | { kind: "closed"; fault: OperatorFault; detail: string };

export type Providers = {
  /** The routes that may take a task now, best first: closed and open-circuit ones are left out. */
  routes: (mode: ModeName, model: string) => Route[];
  /** Whether the model has any route in this mode, closed or not (contract.md, `no_route`). */
  isRouted: (mode: ModeName, model: string) => boolean;
  /** The route that a task was given to before, also where it takes no new ones. */
  named: (name: string) => Route | undefined;
  /** What a submit says about the route's health, for the circuit breaker; operators are alerted of a closed one. */
  report: (route: Route, outcome: RouteReport) => void;
};

const SIMULATOR = "simulator";

/** Test mode always runs on the simulator; live mode only where `liveProvider` says so. */
export function createProviders(
  simulator: Provider,
  liveProvider: "none" | "simulator",
): Providers {
  const route: Route = {
    name: SIMULATOR,
    credential: SIMULATOR,
    provider: simulator,
    upstreamModel: SIMULATOR,
    parameters: {},
    limits: {},
  };
  const isRouted = (mode: ModeName) => mode === "test" || liveProvider === SIMULATOR;
  return {
    routes: (mode) => (isRouted(mode) ? [route] : []),
    isRouted,
    named: (name) => (name === SIMULATOR ? route : undefined),
    report: () => {},
  };
}
