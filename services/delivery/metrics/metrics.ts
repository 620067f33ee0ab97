/** Delivery's own metrics: copies of outputs, attempts of webhooks, what is still to do, and its space. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Clock } from "#runtime/clock.ts";
import { DURATION_BUCKETS, sampled, showOnly } from "#runtime/metrics/metrics.ts";
import type { readWebhookFigures } from "../store/webhook-deliveries.ts";

export type DeliveryMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const registers = [registry];
  return {
    copies: new Histogram({
      name: "media_copy_duration_seconds",
      help: "How long copies of outputs took, with the wait for a free slot",
      labelNames: ["kind", "outcome"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    copiedBytes: new Counter({
      name: "media_copied_bytes_total",
      help: "Bytes of outputs that were stored",
      labelNames: ["kind"] as const,
      registers,
    }),
    attempts: new Histogram({
      name: "media_webhook_attempt_duration_seconds",
      help: "How long attempts to deliver a webhook took, by the class of the answer's status, or the error",
      labelNames: ["answer"] as const,
      buckets: DURATION_BUCKETS,
      registers,
    }),
    deliveries: new Counter({
      name: "media_webhook_deliveries_ended_total",
      help: "Deliveries of webhooks that have ended",
      labelNames: ["status"] as const,
      registers,
    }),
  };
}

export type BacklogDeps = {
  clock: Clock;
  readWebhooks: () => ReturnType<typeof readWebhookFigures>;
  /** Bytes of the file system of stored files; undefined for a bucket, which has no end. */
  readSpace: () => Promise<{ free: number; size: number } | undefined>;
  storageAvailable: () => Promise<{ read: boolean; write: boolean }>;
};

export function backlogMetrics(registry: Registry, deps: BacklogDeps): void {
  const { clock } = deps;
  const webhooks = sampled(clock, deps.readWebhooks);
  const space = sampled(clock, async () => ({ of: await deps.readSpace() }));
  const available = sampled(clock, deps.storageAvailable);
  /** A gauge that shows what `valuesOf` takes from what is read, by the values of `label` if there is one. */
  const gauge = <T>(
    name: string,
    help: string,
    read: () => Promise<T | undefined>,
    valuesOf: (found: T) => Readonly<Record<string, number>>,
    label?: string,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [registry],
      async collect() {
        const found = await read();
        const values = found && Object.entries(valuesOf(found));
        const shown = values?.map(([of, value]) => ({
          labels: label ? { [label]: of } : {},
          value,
        }));
        showOnly(this, shown);
      },
    });
  gauge(
    "media_webhooks_waiting",
    "Deliveries that are ready for an attempt, or planned for later; at most 5000 of each",
    webhooks,
    ({ ready, planned }) => ({ ready, planned }),
    "state",
  );
  gauge(
    "media_oldest_due_webhook_age_seconds",
    "For how long the oldest due delivery has been due",
    webhooks,
    ({ oldest = clock.now() }) => ({
      age: Math.max(clock.now().getTime() - oldest.getTime(), 0) / 1_000,
    }),
  );
  gauge(
    "media_storage_available",
    "1 while storage gives objects (`read`), and while it took the last one (`write`)",
    available,
    ({ read, write }) => ({ read: Number(read), write: Number(write) }),
    "operation",
  );
  for (const side of ["free", "size"] as const) {
    const what = side === "free" ? "Free bytes" : "Size";
    const help = `${what} of the file system of stored files; absent with S3`;
    gauge(`media_storage_${side}_bytes`, help, space, ({ of }) => (of ? { [side]: of[side] } : {}));
  }
}
