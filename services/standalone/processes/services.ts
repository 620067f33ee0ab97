/** All four services in this process, calling each other in memory, and the simulator beside them. */
import { join } from "node:path";
import { Code, ConnectError } from "@connectrpc/connect";
import type { NatsConfig } from "#runtime/events/config.ts";
import type { Log } from "#runtime/log.ts";
import { overMemory, type Connect } from "#runtime/rpc/client/client.ts";
import {
  SERVICES,
  type Overrides,
  type PeerUrls,
  type Service,
  type ServiceConfig,
  type ServiceName,
} from "#runtime/service/service.ts";
import { start as startBilling } from "../../billing/service.ts";
import { start as startDelivery } from "../../delivery/service.ts";
import { parseSecretKeys } from "../../delivery/webhook/signing-secrets.ts";
import { start as startGateway } from "../../gateway/service.ts";
import { start as startGeneration } from "../../generation/service.ts";
import { start as startSimulator } from "../../simulator/service.ts";
import type { StandaloneConfig } from "../settings/config.ts";
import { openIdentities } from "../../ops/setup/identities.ts";
import { openSecrets } from "../data-folder/secrets.ts";
import type { DatabaseUrls } from "../../ops/setup/provision.ts";

const DRAIN_MS = 5_000;
const CONNECTIONS = 12;

/** What services need besides the configuration; all of it can be sent to another process. */
export type ServicesSetup = {
  databases: Record<ServiceName, DatabaseUrls>;
  nats: NatsConfig;
  port: number;
  /** The data folder, with the services' keys and secrets; absolute. */
  dataDir: string;
  ports?: OwnPorts;
};

/** Ports of this process on 127.0.0.1; absent: any free ones. */
export type OwnPorts = Record<ServiceName | "assets" | "simulator", number>;

export type Services = AsyncDisposable & {
  url: string;
  /** The addresses of each service, one a process. */
  rpcUrls: Record<ServiceName, PeerUrls>;
};

/** Starts callees before callers. A call to a service that has not started yet is `unavailable`. */
export async function startServices(
  wanted: StandaloneConfig,
  setup: ServicesSetup,
  log: Log,
  given: Pick<Overrides, "clock"> = {},
): Promise<Services> {
  const { port, dataDir, ports } = setup;
  const config = { ...wanted, port, dataDir };
  const { publicUrl = `http://localhost:${port}`, callbackBaseUrl } = config;
  const identities = await openIdentities(join(dataDir, "keys"));
  const secrets = await openSecrets(dataDir);
  await using stack = new AsyncDisposableStack();
  const started = new Map<ServiceName, Service>();
  const peers = peersIn(started);
  const common = (name: ServiceName): ServiceConfig => ({
    host: "127.0.0.1",
    rpcPort: ports?.[name] ?? 0,
    lameDuckMs: 0,
    drainMs: DRAIN_MS,
    databaseUrl: setup.databases[name].url,
    migrateDatabaseUrl: undefined,
    maxConnections: CONNECTIONS,
    nats: setup.nats,
    identity: identities.keys[name],
    trusted: identities.trusted,
    rpcTls: undefined,
    logLevel: config.logLevel,
    tracing: config.tracing,
  });
  /** Starts a service with `own` and what all have, and the others find it from now on. */
  const use = async <Own extends object, T extends Service>(
    name: ServiceName,
    start: (config: ServiceConfig & Own, overrides: Overrides) => Promise<T>,
    own: Own,
  ): Promise<T> => {
    const overrides = { ...given, log: log.child({ service: name }), peers };
    const service = stack.use(await start({ ...common(name), ...own }, overrides));
    started.set(name, service);
    return service;
  };

  await use("billing", startBilling, {});
  const delivery = await use("delivery", startDelivery, {
    assetsPort: ports?.assets ?? 0,
    assetBaseUrl: `${publicUrl}/assets`,
    ...config.delivery,
    dataDir: config.dataDir,
    maxCopies: 32,
    webhookSecretKeys: parseSecretKeys(secrets.webhookKey),
  });
  const simulator = stack.use(
    await startSimulator(
      {
        ...config.simulator,
        host: "127.0.0.1",
        port: ports?.simulator ?? 0,
        baseUrl: undefined,
        secret: secrets.simulator,
        cacheDirectory: join(dataDir, "simulator"),
        drainMs: DRAIN_MS,
        logLevel: config.logLevel,
      },
      { log },
    ),
  );
  await use("generation", startGeneration, {
    ...config.generation,
    billingUrl: undefined,
    deliveryUrl: undefined,
    callbacks: callbackBaseUrl
      ? { baseUrl: callbackBaseUrl, secret: secrets.callbacks }
      : undefined,
    concurrency: 128,
    simulatorUrl: simulator.url,
  });
  const gateway = await use("gateway", startGateway, {
    port: config.port,
    publicHost: "127.0.0.1",
    publicUrl,
    assetBaseUrl: `${publicUrl}/assets`,
    deliveryAssetsUrls: [delivery.assetsUrl] satisfies [string],
    egressAllow: config.delivery.egressAllow,
    generationUrl: undefined,
    billingUrl: undefined,
    deliveryUrl: undefined,
    tls: undefined,
    ...config.gateway,
    authSecret: secrets.auth,
    readsPerLogLine: 1,
  });
  const urls = SERVICES.map((name) => [name, [started.get(name)?.rpcUrl ?? ""]]);
  const rpcUrls = Object.fromEntries(urls) as Services["rpcUrls"];
  return Object.assign(stack.move(), { url: gateway.url, rpcUrls });
}

function peersIn(started: ReadonlyMap<ServiceName, Service>): Record<ServiceName, Connect> {
  const connect = (name: ServiceName) =>
    overMemory(() => {
      const service = started.get(name);
      if (service) return service;
      throw new ConnectError(`${name} has not started yet`, Code.Unavailable);
    });
  const peers = SERVICES.map((name) => [name, connect(name)] as const);
  return Object.fromEntries(peers) as Record<ServiceName, Connect>;
}

/** The settings of the environment are read by the worker itself: it has the same. */
export type ToWorker = { setup: ServicesSetup; logFile: string };

export type FromWorker =
  | { kind: "listening" }
  | ({ kind: "ready" } & Pick<Services, "url" | "rpcUrls">)
  | { kind: "failed"; reason: string };
