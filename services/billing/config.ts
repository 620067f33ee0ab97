/** Billing's settings; the only reader of its environment. */
import { envReader, type Env } from "#runtime/env.ts";
import { readServiceConfig, type ServiceConfig } from "#runtime/service/service.ts";

export type BillingConfig = ServiceConfig;

export function readConfig(env: Env): BillingConfig {
  const reader = envReader(env);
  return reader.done(readServiceConfig(reader));
}
