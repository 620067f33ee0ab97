/** Scrapes of a registry or of running services, as Prometheus makes them. */
import type { Registry } from "prom-client";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import {
  samplesOf,
  scrapeAll,
  type Labels,
  type Sample,
} from "../../services/ops/status/scrape.ts";

export type Scrape = { atSeconds: number; samples: readonly Sample[] };

export async function scrape(registry: Registry, atSeconds = 0): Promise<Scrape> {
  return { atSeconds, samples: samplesOf(await registry.metrics()) };
}

/** The sum of the metric's values that have these labels. */
export function figure({ samples }: Scrape, name: string, labels: Labels = {}): number {
  return samples
    .filter((one) => one.name === name)
    .filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** Of all replicas at these URLs of each service. */
export async function scrapeReplicas(
  urls: Readonly<Partial<Record<ServiceName, PeerUrls>>>,
): Promise<Scrape> {
  const replicas = await scrapeAll(urls, undefined);
  const samples = replicas.flatMap(({ samples: own = [] }) => own);
  return { atSeconds: performance.now() / 1_000, samples };
}
