/** Settings of `npm start`; the only reader of its environment. */
import { join, resolve } from "node:path";
import { readEgressAllow } from "#runtime/egress-allow.ts";
import { envReader } from "#runtime/env.ts";
import { readLogLevel } from "#runtime/service.ts";
import type { Env, EnvReader } from "#runtime/env.ts";
import { readNatsConfig } from "#runtime/events/config.ts";
import type { NatsConfig } from "#runtime/events/config.ts";
import { readTracing } from "#runtime/tracing/config.ts";
import type { TracingConfig } from "#runtime/tracing/config.ts";
import { readStorage } from "../delivery/storage/config.ts";
import type { StorageConfig } from "../delivery/storage/config.ts";
import { readSignUp } from "../gateway/config.ts";
import { readMail } from "../gateway/mail/config.ts";
import type { MailConfig } from "../gateway/mail/config.ts";
import { readUpstreamsConfig } from "../generation/config.ts";
import type { UpstreamsConfig } from "../generation/upstreams/open-upstreams.ts";
import { defaultCatalogPath } from "../generation/catalog/catalog.ts";
import { readPasswords } from "../ops/config.ts";
import { readTuning } from "../simulator/config.ts";
import type { SimulatorTuning } from "../simulator/config.ts";
import type { ExternalPostgres } from "./external-postgres.ts";

const MAX_PROCESSES = 64;

export type StandaloneConfig = {
  /** The public port; 0 means a free one. */
  port: number;
  publicUrl: string | undefined;
  dataDir: string;
  /** Processes that run all services. */
  processes: number;
  /** A Postgres of your own; undefined: an embedded one. */
  postgres: ExternalPostgres | undefined;
  /** NATS servers of your own; undefined: an embedded one. */
  nats: NatsConfig | undefined;
  storage: StorageConfig;
  egressAllow: string[];
  signUp: "open" | "invitation";
  mail: MailConfig;
  catalogPath: string;
  liveProvider: "none" | "simulator";
  upstreams: UpstreamsConfig;
  /** The start of the callback URLs given to upstreams; undefined: upstreams are only polled. */
  callbackBaseUrl: string | undefined;
  accountConcurrency: number;
  simulator: SimulatorTuning;
  /** Whether the RPC ports describe their services to tools. */
  hasReflection: boolean;
  /** The port of the status page, on loopback; 0 means a free one. */
  statusPort: number;
  logLevel: string;
  tracing: TracingConfig | undefined;
};

export function readConfig(env: Env): StandaloneConfig {
  const reader = envReader(env);
  const publicUrl = reader.optional("PUBLIC_URL") && reader.url("PUBLIC_URL");
  const dataDir = resolve(reader.string("DATA_DIR", ".data"));
  const config: StandaloneConfig = {
    port: reader.integer("PORT", 8080, 0, 65_535),
    publicUrl,
    dataDir,
    processes: reader.integer("PROCESSES", 1, 1, MAX_PROCESSES),
    postgres: readPostgres(reader),
    nats: reader.optional("NATS_URL") === undefined ? undefined : readNatsConfig(reader),
    storage: readStorage(reader, dataDir),
    egressAllow: readEgressAllow(reader),
    signUp: readSignUp(reader),
    mail: readMail(reader, join(dataDir, "mails")),
    catalogPath: reader.string("CATALOG_FILE", defaultCatalogPath),
    liveProvider: reader.oneOf("LIVE_PROVIDER", ["simulator", "none"], "simulator"),
    upstreams: readUpstreamsConfig(reader),
    callbackBaseUrl: reader.optional("CALLBACK_BASE_URL")
      ? reader.url("CALLBACK_BASE_URL")
      : publicUrl,
    accountConcurrency: reader.integer("ACCOUNT_CONCURRENCY", 50, 1, 1_000_000),
    simulator: readTuning(reader),
    hasReflection: !reader.isProduction,
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
