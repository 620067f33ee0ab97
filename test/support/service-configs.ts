/** The settings of services that tests start in their process: own ports, no log, nothing to call, else the defaults. */
import { inject } from "vitest";
import { envReader } from "#runtime/env.ts";
import { natsAt } from "#runtime/events/config.ts";
import type { ServiceConfig } from "#runtime/service/service.ts";
import { readTuning as readDelivery, type DeliveryConfig } from "../../services/delivery/config.ts";
import { readTuning as readGateway, type GatewayConfig } from "../../services/gateway/config.ts";
import {
  readTuning as readGeneration,
  type GenerationConfig,
} from "../../services/generation/config.ts";

/** What differs with each service, and what a test wants otherwise. */
type Own<Config> = Pick<ServiceConfig, "databaseUrl" | "identity" | "trusted"> & Partial<Config>;

export function serviceConfig(own: Own<ServiceConfig>): ServiceConfig {
  return {
    host: "127.0.0.1",
    rpcPort: 0,
    lameDuckMs: 0,
    drainMs: 1_000,
    migrateDatabaseUrl: undefined,
    maxConnections: 6,
    nats: natsAt(inject("natsUrl")),
    rpcTls: undefined,
    logLevel: "silent",
    tracing: undefined,
    ...own,
  };
}

export function generationConfig(own: Own<GenerationConfig>): GenerationConfig {
  return {
    ...serviceConfig(own),
    ...readGeneration(envReader({}), "none"),
    billingUrl: undefined,
    deliveryUrl: undefined,
    callbacks: undefined,
    concurrency: 4,
    simulatorUrl: "http://127.0.0.1:9",
    ...own,
  };
}

/** `dataDir` also has the stored files, unless `storage` says otherwise. */
export function deliveryConfig(
  own: Own<DeliveryConfig> & Pick<DeliveryConfig, "dataDir">,
): DeliveryConfig {
  return {
    ...serviceConfig(own),
    ...readDelivery(envReader({}), own.dataDir),
    assetsPort: 0,
    assetBaseUrl: undefined,
    maxCopies: 2,
    webhookSecretKeys: [Buffer.alloc(32, 1)],
    ...own,
  };
}

export function gatewayConfig(own: Own<GatewayConfig>): GatewayConfig {
  return {
    ...serviceConfig(own),
    ...readGateway(envReader({})),
    port: 0,
    publicHost: "127.0.0.1",
    publicUrl: undefined,
    assetBaseUrl: "https://media.example.com/assets",
    generationUrl: undefined,
    billingUrl: undefined,
    deliveryUrl: undefined,
    deliveryAssetsUrls: ["http://127.0.0.1:9/assets"],
    egressAllow: [],
    tls: undefined,
    authSecret: "a secret of the tests, long enough",
    readsPerLogLine: 1,
    ...own,
  };
}
