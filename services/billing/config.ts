/** Billing's settings; the only reader of its environment. */
import { envReader } from "#runtime/env.ts";
import type { Env } from "#runtime/env.ts";
import { readServiceConfig } from "#runtime/service.ts";
import type { ServiceConfig } from "#runtime/service.ts";

export type BillingConfig = ServiceConfig;

export function readConfig(env: Env): BillingConfig {
  const reader = envReader(env);
  const config = readServiceConfig(reader);
  reader.done();
  return config;
}
