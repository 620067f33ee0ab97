/** Settings of `npm start`; the only reader of its environment. */
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { envReader, POSTGRES, type Env } from "#runtime/env.ts";
import { readLogLevel } from "#runtime/service/service.ts";
import { readNatsConfig } from "#runtime/events/config.ts";
import { readTracing } from "#runtime/tracing/tracer.ts";
import * as delivery from "../../delivery/config.ts";
import * as gateway from "../../gateway/config.ts";
import * as generation from "../../generation/config.ts";
import { readPasswords } from "../../ops/session/config.ts";
import * as simulator from "../../simulator/config.ts";

const MAX_PROCESSES = 64;

/** `passwords` are those of existing roles, or those that new roles get. */
export type ExternalPostgres = { adminUrl: string; passwords: ReadonlyMap<string, string> };

export type StandaloneConfig = ReturnType<typeof readConfig>;

/**
 * Takes what decides how the service behaves to who uses it, under the names that its services have for it. What connects the
 * parts to each other and how much one process does at a time is chosen in `processes/services.ts`.
 */
export function readConfig(env: Env, cores: number = availableParallelism()) {
  const reader = envReader(env);
  const publicUrl = reader.optional("PUBLIC_URL") && reader.url("PUBLIC_URL");
  const dataDir = resolve(reader.string("DATA_DIR", ".data"));
  const hasPostgres = reader.optional("DATABASE_URL") !== undefined;
  const postgres: ExternalPostgres | undefined = hasPostgres
    ? { adminUrl: reader.url("DATABASE_URL", POSTGRES), passwords: readPasswords(reader) }
    : undefined;
  return reader.done({
    port: reader.integer("PORT", 8080, 0, 65_535),
    publicUrl,
    dataDir,
    /** Processes that run all services. */
    processes: reader.integer("PROCESSES", postgres ? 1 : processesFor(cores), 1, MAX_PROCESSES),
    /** A Postgres of your own; undefined: an embedded one. */
    postgres,
    /** NATS servers of your own; undefined: an embedded one. */
    nats: reader.optional("NATS_URL") === undefined ? undefined : readNatsConfig(reader),
    gateway: gateway.readTuning(reader, join(dataDir, "mails")),
    delivery: delivery.readTuning(reader, dataDir),
    generation: generation.readTuning(reader, "simulator"),
    simulator: simulator.readTuning(reader),
    /** The start of the callback URLs given to upstreams; undefined: upstreams are only polled. */
    callbackBaseUrl:
      (reader.optional("CALLBACK_BASE_URL") && reader.url("CALLBACK_BASE_URL")) ?? publicUrl,
    /** The port of the status page, on loopback; 0 means a free one. */
    statusPort: reader.integer("STATUS_PORT", 0, 0, 65_535),
    logLevel: readLogLevel(reader),
    tracing: readTracing(reader),
  });
}

/**
 * Under load a process takes one core and what it asks of Postgres most of another. Each has 200 MB and connections of
 * its own, so more than 4, or several on a Postgres of somebody else, are for the operator to choose.
 */
const processesFor = (cores: number): number =>
  cores < 4 ? 1 : Math.min(Math.floor(cores / 2), 4);
