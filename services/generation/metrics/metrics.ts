/** Generation's own metrics: what its workers, upstreams and reconciliations do. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { DURATION_BUCKETS } from "#runtime/metrics/metrics.ts";

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const registers = [registry];
  const metrics = {
    ended: new Counter({
      name: "media_generations_ended_total",
      help: "Generations that have reached a terminal status",
      labelNames: ["kind", "status", "code"] as const,
      registers,
    }),
    taken: new Counter({
      name: "media_tasks_taken_total",
      help: "Tasks that this process took: from a queue with a slot, or because they were due",
      registers,
    }),
    stepDuration: new Histogram({
      name: "media_task_step_duration_seconds",
      help: "How long steps of tasks took; failed ones are tried again",
      labelNames: ["step", "outcome"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    upstreamCall: new Histogram({
      name: "media_upstream_call_duration_seconds",
      help: "How long calls of upstreams took",
      labelNames: ["upstream", "call", "outcome"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    discrepancies: new Gauge({
      name: "media_hold_discrepancies",
      help: "Holds without their generation, and generations without their hold, at the last comparison; NaN if that failed",
      registers,
    }),
    upstreamsWithoutKey: new Gauge({
      name: "media_upstreams_without_key",
      help: "Enabled upstreams that are not used, because their credential has no key",
      registers,
    }),
  };
  // A rate does not see the first failure of a series that begins with it.
  metrics.ended.inc({ kind: "image", status: "failed", code: "internal" }, 0);
  // Nothing was compared yet: 0 would be a result.
  metrics.discrepancies.remove();
  return metrics;
}
