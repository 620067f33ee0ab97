/** Delivery's metrics. */
import { Registry } from "prom-client";
import { NO_TRACER } from "#runtime/tracing/tracer.ts";
import { backlogMetrics, createMetrics } from "../../services/delivery/metrics/metrics.ts";
import { manualClock } from "./manual-clock.ts";
import { scrape } from "./scrape.ts";

/** What delivery's parts are observed with. */
export const unobserved = () => ({ metrics: createMetrics(new Registry()), tracer: NO_TRACER });

type Backlog = Parameters<typeof backlogMetrics>[1];

/** Scrapes delivery's backlog, which is well but for `parts`, each time half a minute later. */
export function scrapedBacklog(parts: Partial<Backlog>, clock = manualClock()) {
  const registry = new Registry();
  backlogMetrics(registry, {
    clock,
    readWebhooks: async () => ({ ready: 0, planned: 0, oldest: undefined }),
    readSpace: async () => undefined,
    storageAvailable: async () => ({ read: true, write: true }),
    ...parts,
  });
  return () => {
    clock.advance(30_000);
    return scrape(registry);
  };
}
