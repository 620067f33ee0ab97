/** Generation's own metrics: what its workers, upstreams and reconciliations do. */
import { Counter, Gauge, Histogram } from "prom-client";
import type { Registry } from "prom-client";
import { DURATION_BUCKETS } from "#runtime/metrics/buckets.ts";

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
    taken: new Counter({
      name: "media_tasks_taken_total",
      help: "Tasks that this process took to work on: with a slot from a queue, or because they were due",
      registers,
    }),
    stepDuration: new Histogram({
      name: "media_task_step_duration_seconds",
      help: "How long steps of tasks took, by step and outcome; those that failed are tried again",
      labelNames: ["step", "outcome"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    upstreamCall: new Histogram({
      name: "media_upstream_call_duration_seconds",
      help: "How long calls of upstreams took, by route, call and what was answered",
      labelNames: ["route", "call", "outcome"] as const,
      buckets: DURATION_BUCKETS,
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
    routesWithoutKey: new Gauge({
      name: "media_routes_without_key",
      help: "Enabled upstreams that are not used, because no key of their credential was found",
      registers,
    }),
    fileRefused: new Gauge({
      name: "media_file_refused",
      help: "1 while the upstreams file or the catalog has a change that was refused, so that the earlier content is in use",
      labelNames: ["file"] as const,
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
