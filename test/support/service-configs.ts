/** The settings of services that tests start in their process: ports of their own, no log, and nothing to call. */
import { inject } from "vitest";
import { natsAt } from "#runtime/events/config.ts";
import type { ServiceConfig } from "#runtime/service/service.ts";
import type { DeliveryConfig } from "../../services/delivery/config.ts";
import type { GatewayConfig } from "../../services/gateway/config.ts";
import { defaultCatalogPath } from "../../services/generation/catalog/catalog.ts";
import type { GenerationConfig } from "../../services/generation/config.ts";

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
    catalogPath: defaultCatalogPath,
    billingUrl: undefined,
    deliveryUrl: undefined,
    liveProvider: "none",
    upstreams: {
      path: undefined,
      keys: {},
      keysDirectory: undefined,
    },
    callbacks: undefined,
    concurrency: 4,
    accountConcurrency: 50,
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
    assetsPort: 0,
    assetBaseUrl: undefined,
    storage: { kind: "filesystem", directory: `${own.dataDir}/assets` },
    egressAllow: [],
    maxCopies: 2,
    provenance: "embed",
    webhookSecretKeys: [Buffer.alloc(32, 1)],
    ...own,
  };
}

export function gatewayConfig(own: Own<GatewayConfig>): GatewayConfig {
  return {
    ...serviceConfig(own),
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
    trustedProxies: [],
    authSecret: "a secret of the tests, long enough",
    signUp: "open",
    oidc: undefined,
    mail: { kind: "none" },
    readsPerLogLine: 1,
    requestLogDays: 30,
    tokenPrice: undefined,
    notices: {
      supportContact: undefined,
      statusUrl: undefined,
      termsUrl: undefined,
      privacyUrl: undefined,
      dataRegion: undefined,
    },
    ...own,
  };
}
