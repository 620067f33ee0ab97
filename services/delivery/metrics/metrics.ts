/** Delivery's own metrics: copies of outputs, attempts of webhooks, what is still to do, and its space. */
import type { Registry } from "prom-client";
import type { Clock } from "#runtime/clock.ts";
import { figureGauges, metricsIn, sampled } from "#runtime/metrics/metrics.ts";
import type { readWebhookFigures } from "../store/webhook-deliveries.ts";

export type DeliveryMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  const { counter, duration } = metricsIn(registry);
  return {
    copies: duration(
      "media_copy_duration_seconds",
      "How long copies of outputs took, with the wait for a free slot",
      ["kind", "outcome"],
    ),
    copiedBytes: counter("media_copied_bytes_total", "Bytes of outputs that were stored", ["kind"]),
    attempts: duration(
      "media_webhook_attempt_duration_seconds",
      "How long attempts to deliver a webhook took, by the class of the answer's status, or the error",
      ["answer"],
    ),
    deliveries: counter(
      "media_webhook_deliveries_ended_total",
      "Deliveries of webhooks that have ended",
      ["status"],
    ),
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
  const by = (label: string, values: Readonly<Record<string, number>>) =>
    Object.entries(values).map(([of, value]) => ({ labels: { [label]: of }, value }));
  figureGauges(registry, webhooks, ["state"], {
    media_webhooks_waiting: [
      "Deliveries that are ready for an attempt, or planned for later; at most 5000 of each",
      ({ ready, planned }) => by("state", { ready, planned }),
    ],
  });
  const ageSeconds = (at: Date) => Math.max(clock.now().getTime() - at.getTime(), 0) / 1_000;
  figureGauges(registry, webhooks, [], {
    media_oldest_due_webhook_age_seconds: [
      "For how long the oldest due delivery has been due",
      ({ oldest }) => [{ labels: {}, value: oldest ? ageSeconds(oldest) : 0 }],
    ],
  });
  figureGauges(registry, available, ["operation"], {
    media_storage_available: [
      "1 while storage gives objects (`read`), and while it took the last one (`write`)",
      ({ read, write }) => by("operation", { read: Number(read), write: Number(write) }),
    ],
  });
  const bytes = (value: number | undefined) => (value === undefined ? [] : [{ labels: {}, value }]);
  figureGauges(registry, space, [], {
    media_storage_free_bytes: [
      "Free bytes of the file system of stored files; absent with S3",
      ({ of }) => bytes(of?.free),
    ],
    media_storage_size_bytes: [
      "Size of the file system of stored files; absent with S3",
      ({ of }) => bytes(of?.size),
    ],
  });
}
