/** Generation's settings; the only reader of its environment. */
import { envReader } from "#runtime/env.ts";
import type { Env } from "#runtime/env.ts";
import { readServiceConfig } from "#runtime/service.ts";
import type { ServiceConfig } from "#runtime/service.ts";
import { defaultCatalogPath } from "./catalog/catalog.ts";

export type GenerationConfig = ServiceConfig & {
  catalogPath: string;
  billingUrl: string | undefined;
  deliveryUrl: string | undefined;
  /** "simulator" lets the simulator serve live mode; otherwise live models need routes. */
  liveProvider: "none" | "simulator";
  /** How many tasks this process works on at the same time. */
  concurrency: number;
  /** Tasks of one kind that an account may have at upstreams at a time, in each mode. */
  accountConcurrency: number;
  simulator: {
    directory: string;
    port: number;
    /** How long a video takes at the simulator. */
    paceMs: number;
    render: "draw" | "fixture";
    /** How long its temporary URLs live. */
    urlTtlMs: number;
  };
};

export function readConfig(env: Env): GenerationConfig {
  const reader = envReader(env);
  const config = {
    ...readServiceConfig(reader),
    catalogPath: reader.string("CATALOG_FILE", defaultCatalogPath),
    billingUrl: reader.url("BILLING_URL"),
    deliveryUrl: reader.url("DELIVERY_URL"),
    liveProvider: reader.oneOf("LIVE_PROVIDER", ["none", "simulator"], "none"),
    concurrency: reader.integer("WORKER_CONCURRENCY", 128, 1, 10_000),
    accountConcurrency: reader.integer("ACCOUNT_CONCURRENCY", 50, 1, 1_000_000),
    simulator: {
      directory: reader.string("SIMULATOR_DIR"),
      port: reader.integer("SIMULATOR_PORT", 0, 0, 65_535),
      paceMs: reader.integer("SIMULATOR_PACE_MS", 4_000, 0, 3_600_000),
      render: reader.oneOf("SIMULATOR_RENDER", ["draw", "fixture"], "draw"),
      urlTtlMs: reader.integer("SIMULATOR_URL_TTL_MS", 3_600_000, 1, 86_400_000),
    },
  } satisfies GenerationConfig;
  if (reader.isProduction && config.liveProvider === "simulator") {
    reader.problem("LIVE_PROVIDER=simulator is refused when NODE_ENV=production");
  }
  reader.done();
  return config;
}
