/** A scrape of a registry, as Prometheus makes one. */
import type { Registry } from "prom-client";
import { samplesOf } from "../../services/ops/status/samples.ts";
import type { Scrape } from "./promql.ts";

export async function scrape(registry: Registry, atSeconds = 0): Promise<Scrape> {
  return { atSeconds, samples: samplesOf(await registry.metrics()) };
}
