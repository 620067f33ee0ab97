/** Every service's registry with all its metrics, as its start makes them, without what the figures are read from. */
import { Registry } from "prom-client";
import { systemClock } from "#runtime/clock.ts";
import { loadLimits } from "#runtime/load-limit.ts";
import { busMetrics } from "#runtime/events/bus.ts";
import { processMetrics, rpcMetrics } from "#runtime/metrics/metrics.ts";
import { sqlMetrics } from "#runtime/service/sql-metrics.ts";
import { createMetrics as billing } from "../../services/billing/rpc/deps.ts";
import {
  backlogMetrics,
  createMetrics as delivery,
} from "../../services/delivery/metrics/metrics.ts";
import { createMetrics as gateway } from "../../services/gateway/edge/http/app-hooks.ts";
import {
  createMetrics as generation,
  taskMetrics,
} from "../../services/generation/metrics/metrics.ts";

const unread = () => Promise.reject(new Error("nothing is scraped here"));
const clock = systemClock;

const OWN: Record<string, (registry: Registry) => unknown> = {
  gateway,
  generation: (registry) => {
    generation(registry);
    taskMetrics(registry, clock, unread, []);
  },
  billing,
  delivery: (registry) => {
    delivery(registry);
    backlogMetrics(registry, {
      clock,
      readWebhooks: unread,
      readSpace: unread,
      storageAvailable: unread,
    });
  },
};

/** The metrics that every service has. */
export function commonRegistry(service = ""): Registry {
  const registry = new Registry();
  sqlMetrics(registry);
  busMetrics(registry, () => ({ isConnected: false, isAvailable: undefined }));
  rpcMetrics(registry);
  processMetrics(registry, { service, certificates: {}, keyMadeAt: 0, isReady: async () => true });
  loadLimits({ clock, metrics: registry });
  return registry;
}

/** By service, the metrics that it alone has. */
export function ownRegistries(): Map<string, Registry> {
  const made = Object.entries(OWN).map(([name, create]) => {
    const registry = new Registry();
    create(registry);
    return [name, registry] as const;
  });
  return new Map(made);
}
