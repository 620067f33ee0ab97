/** Delivery's own metrics: copies of outputs, and attempts of webhooks. */
import { Counter, Histogram, type Registry } from "prom-client";
import { DURATION_BUCKETS } from "#runtime/metrics/buckets.ts";

export type DeliveryMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    copies: new Histogram({
      name: "media_copy_duration_seconds",
      help: "How long copies of outputs took, by kind and outcome, with the wait for a free copy",
      labelNames: ["kind", "outcome"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    copiedBytes: new Counter({
      name: "media_copied_bytes_total",
      help: "Bytes of outputs that were stored, by kind",
      labelNames: ["kind"] as const,
      registers,
    }),
    attempts: new Histogram({
      name: "media_webhook_attempt_duration_seconds",
      help: "How long attempts to deliver a webhook took, by answer: the class of its status, or the error",
      labelNames: ["answer"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    deliveries: new Counter({
      name: "media_webhook_deliveries_ended_total",
      help: "Deliveries of webhooks that have ended, by how",
      labelNames: ["status"] as const,
      registers,
    }),
  };
}
