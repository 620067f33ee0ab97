/** Scrapes of a registry or of running services, as Prometheus makes them. */
import type { Registry } from "prom-client";
import type { PeerUrls, ServiceName } from "#runtime/service/service.ts";
import { samplesOf } from "../../services/ops/status/samples.ts";
import { scrapeAll } from "../../services/ops/status/scrape.ts";
import type { Scrape } from "./promql.ts";

export async function scrape(registry: Registry, atSeconds = 0): Promise<Scrape> {
  return { atSeconds, samples: samplesOf(await registry.metrics()) };
}

/** Of all replicas at these URLs of each service, with the labels and the `up` that Prometheus adds. */
export async function scrapeReplicas(
  urls: Readonly<Partial<Record<ServiceName, PeerUrls>>>,
): Promise<Scrape> {
  const replicas = await scrapeAll(urls, undefined);
  const samples = replicas.flatMap(({ service: job, address: instance, samples: own }) => {
    const labels = { job, instance };
    const up = { name: "up", labels, value: own ? 1 : 0 };
    const labelled = own?.map((one) => ({ ...one, labels: { ...one.labels, ...labels } })) ?? [];
    return [up, ...labelled];
  });
  return { atSeconds: performance.now() / 1_000, samples };
}
