/** Settings of `npm start`; the only reader of its environment. */
import { join, resolve } from "node:path";
import { readEgressAllow } from "#runtime/egress-allow.ts";
import { envReader, type Env, type EnvReader } from "#runtime/env.ts";
import { readLogLevel } from "#runtime/service/service.ts";
import { readNatsConfig, type NatsConfig } from "#runtime/events/config.ts";
import { readTracing, type TracingConfig } from "#runtime/tracing/config.ts";
import { readProvenance } from "../../delivery/config.ts";
import type { ProvenanceSetting } from "../../delivery/media/provenance/provenance.ts";
import { readStorage, type StorageConfig } from "../../delivery/storage/config.ts";
import {
  readOidc,
  readRequestLogDays,
  readSignUp,
  readTokenPrice,
  readTrustedProxies,
} from "../../gateway/config.ts";
import type { OidcConfig } from "../../gateway/dashboard/session/oidc.ts";
import { readMail, type MailConfig } from "../../gateway/accounts/mail/config.ts";
import { readUpstreamsConfig } from "../../generation/config.ts";
import type { UpstreamsConfig } from "../../generation/upstreams/open-upstreams.ts";
import { defaultCatalogPath } from "../../generation/catalog/catalog.ts";
import { readPasswords } from "../../ops/session/config.ts";
import { readTuning, type SimulatorTuning } from "../../simulator/config.ts";

const MAX_PROCESSES = 64;

/** `passwords` are those of existing roles, or those that new roles get. */
export type ExternalPostgres = { adminUrl: string; passwords: ReadonlyMap<string, string> };

export type StandaloneConfig = {
  /** The public port; 0 means a free one. */
  port: number;
  publicUrl: string | undefined;
  /** Addresses of the proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string[];
  dataDir: string;
  /** Processes that run all services. */
  processes: number;
  /** A Postgres of your own; undefined: an embedded one. */
  postgres: ExternalPostgres | undefined;
  /** NATS servers of your own; undefined: an embedded one. */
  nats: NatsConfig | undefined;
  storage: StorageConfig;
  /** Whether outputs without a mark of AI-generated content get one. */
  provenance: ProvenanceSetting;
  egressAllow: string[];
  signUp: "open" | "invitation";
  oidc: OidcConfig | undefined;
  tokenPrice: ReturnType<typeof readTokenPrice>;
  mail: MailConfig;
  /** How many days API requests are kept for their account; 0: none are recorded. */
  requestLogDays: number;
  catalogPath: string;
  liveProvider: "none" | "simulator";
  upstreams: UpstreamsConfig;
  /** The start of the callback URLs given to upstreams; undefined: upstreams are only polled. */
  callbackBaseUrl: string | undefined;
  accountConcurrency: number;
  simulator: SimulatorTuning;
  /** The port of the status page, on loopback; 0 means a free one. */
  statusPort: number;
  logLevel: string;
  tracing: TracingConfig | undefined;
};

/**
 * Takes what decides how the service behaves to who uses it, under the names that its services have for it. What connects the
 * parts to each other and how much one process does at a time is chosen in `processes/services.ts`.
 */
export function readConfig(env: Env): StandaloneConfig {
  const reader = envReader(env);
  const publicUrl = reader.optional("PUBLIC_URL") && reader.url("PUBLIC_URL");
  const dataDir = resolve(reader.string("DATA_DIR", ".data"));
  const config: StandaloneConfig = {
    port: reader.integer("PORT", 8080, 0, 65_535),
    publicUrl,
    trustedProxies: readTrustedProxies(reader),
    dataDir,
    processes: reader.integer("PROCESSES", 1, 1, MAX_PROCESSES),
    postgres: readPostgres(reader),
    nats: reader.optional("NATS_URL") === undefined ? undefined : readNatsConfig(reader),
    storage: readStorage(reader, dataDir),
    provenance: readProvenance(reader),
    egressAllow: readEgressAllow(reader),
    signUp: readSignUp(reader),
    oidc: readOidc(reader),
    tokenPrice: readTokenPrice(reader),
    mail: readMail(reader, join(dataDir, "mails")),
    requestLogDays: readRequestLogDays(reader),
    catalogPath: reader.string("CATALOG_FILE", defaultCatalogPath),
    liveProvider: reader.oneOf("LIVE_PROVIDER", ["simulator", "none"], "simulator"),
    upstreams: readUpstreamsConfig(reader),
    callbackBaseUrl: reader.optional("CALLBACK_BASE_URL")
      ? reader.url("CALLBACK_BASE_URL")
      : publicUrl,
    accountConcurrency: reader.integer("ACCOUNT_CONCURRENCY", 50, 1, 1_000_000),
    simulator: readTuning(reader),
    statusPort: reader.integer("STATUS_PORT", 0, 0, 65_535),
    logLevel: readLogLevel(reader),
    tracing: readTracing(reader),
  };
  if (reader.isProduction && config.liveProvider === "simulator") {
    reader.problem("LIVE_PROVIDER=simulator is refused when NODE_ENV=production");
  }
  reader.done();
  return config;
}

function readPostgres(reader: EnvReader): ExternalPostgres | undefined {
  if (reader.optional("DATABASE_URL") === undefined) return undefined;
  return { adminUrl: reader.url("DATABASE_URL"), passwords: readPasswords(reader) };
}
