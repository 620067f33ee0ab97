/** Generation's Prometheus metrics. */
import { Counter, Gauge } from "prom-client";
import type { Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    ended: new Counter({
      name: "media_generations_ended_total",
      help: "Generations that have reached a terminal state",
      labelNames: ["kind", "status"] as const,
      registers,
    }),
    discrepancies: new Gauge({
      name: "media_hold_discrepancies",
      help: "Holds without their generation and generations without their hold, at the last reconciliation",
      registers,
    }),
    routeClosures: new Gauge({
      name: "media_route_closures",
      help: "Upstreams and upstream accounts that are closed until operators act",
      registers,
    }),
    routeCircuitOpen: new Gauge({
      name: "media_route_circuit_open",
      help: "1 while an upstream's circuit lets nothing through, or one submit for a trial",
      labelNames: ["route"] as const,
      registers,
    }),
  };
}
