/** Delivery's own metrics: copies of outputs, attempts of webhooks, what is still to do, and its space. */
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Clock } from "#runtime/clock.ts";
import { DURATION_BUCKETS, sampled, showOnly } from "#runtime/metrics/metrics.ts";
import type { Space } from "../storage/filesystem.ts";
import type { StorageOperation } from "../storage/object-store.ts";
import type { WebhookFigures } from "../store/webhook-deliveries.ts";

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
  readWebhooks: () => Promise<WebhookFigures>;
  /** Bytes of the file system of stored files; undefined for a bucket, which has no end. */
  readSpace: () => Promise<Space | undefined>;
  storageAvailable: () => Promise<Record<StorageOperation, boolean>>;
};

export function backlogMetrics(registry: Registry, deps: BacklogDeps): void {
  const { clock } = deps;
  const webhooks = sampled(clock, deps.readWebhooks);
  const space = sampled(clock, async () => ({ of: await deps.readSpace() }));
  const available = sampled(clock, deps.storageAvailable);
  /** A gauge that shows what `valuesOf` takes from what is read. */
  const gauge = <T, L extends string>(
    read: () => Promise<T | undefined>,
    about: { name: string; help: string; labelNames?: readonly L[] },
    valuesOf: (found: T) => { labels: Partial<Record<L, string>>; value: number }[],
  ) =>
    new Gauge<L>({
      ...about,
      labelNames: about.labelNames ?? [],
      registers: [registry],
      async collect() {
        const found = await read();
        showOnly(this, found && valuesOf(found));
      },
    });
  gauge(
    webhooks,
    {
      name: "media_webhooks_waiting",
      help: "Deliveries that are ready for an attempt, or planned for later; at most 5000 of each",
      labelNames: ["state"],
    },
    (found) =>
      (["ready", "planned"] as const).map((state) => ({ labels: { state }, value: found[state] })),
  );
  gauge(
    webhooks,
    {
      name: "media_oldest_due_webhook_age_seconds",
      help: "For how long the oldest due delivery has been due",
    },
    ({ oldest = clock.now() }) => {
      const dueMs = clock.now().getTime() - oldest.getTime();
      return [{ labels: {}, value: Math.max(dueMs / 1_000, 0) }];
    },
  );
  gauge(
    available,
    {
      name: "media_storage_available",
      help: "1 while storage gives objects (`read`), and while it took the last one (`write`)",
      labelNames: ["operation"],
    },
    (found) =>
      (["read", "write"] as const).map((operation) => ({
        labels: { operation },
        value: found[operation] ? 1 : 0,
      })),
  );
  for (const [side, help] of [
    ["free", "Free bytes of the file system of stored files; absent with S3"],
    ["size", "Size of the file system of stored files; absent with S3"],
  ] as const) {
    gauge(space, { name: `media_storage_${side}_bytes`, help }, ({ of }) =>
      of ? [{ labels: {}, value: of[side] }] : [],
    );
  }
}
