/** The base of every service: common settings, connections, and the process lifecycle. */
import { fileURLToPath } from "node:url";
import type { Transport } from "@connectrpc/connect";
import { Registry } from "prom-client";
import { connectBus } from "../events/bus.ts";
import { readNatsConfig } from "../events/config.ts";
import { processMetrics, rpcMetrics } from "../metrics/metrics.ts";
import { sqlMetrics } from "./sql-metrics.ts";
import { systemClock, type Clock } from "../clock.ts";
import { ConfigError, type Env, type EnvReader } from "../env.ts";
import { randomId, type NewId } from "../id.ts";
import { accessGate } from "../rpc/server/access.ts";
import { contextReceiver, contextSender } from "../rpc/context.ts";
import { serverInterceptor } from "../rpc/server/interceptors.ts";
import { loadLimits } from "../load-limit.ts";
import { createLog, endOnUncaught, LOG_LEVELS, logCrash, type Log } from "../log.ts";
import { migrate } from "../postgres/migrate.ts";
import { connectPostgres } from "../postgres/connect.ts";
import type { Limits } from "../postgres/limits.ts";
import { openDatabaseClock } from "../postgres/database-clock.ts";
import { parseDatabaseUrl, readDatabaseUrl } from "../postgres/database-url.ts";
import { createReadiness, schemaReady } from "../postgres/readiness.ts";
import { overHttp, type Connect } from "../rpc/client/client.ts";
import { startRpcServer } from "../rpc/server/server.ts";
import type { Routes } from "../rpc/server/direct.ts";
import {
  tokenInterceptor,
  tokenVerifier,
  type ServiceKey,
  type TrustedKeys,
} from "../rpc/service-token.ts";
import { checkSchemes, readRpcTls } from "../rpc/tls.ts";
import { openTracer, readTracing } from "../tracing/tracer.ts";
import { onAbort } from "../abort.ts";
import { VERSION } from "../version.ts";
import { createShutdown } from "../shutdown.ts";

/** URLs of one service; behind each there may be several replicas. */
export type PeerUrls = readonly [string, ...string[]];

export const SERVICES = ["gateway", "generation", "billing", "delivery"] as const;
export type ServiceName = (typeof SERVICES)[number];

/** The name of a service's schema, and the folder of its migrations. */
export function schemaOf(schema: ServiceName) {
  const directory = fileURLToPath(new URL(`../../${schema}/migrations`, import.meta.url));
  return { schema, directory };
}

/** Settings that every service has. */
export type ServiceConfig = ReturnType<typeof readServiceConfig>;

/** Dependencies that a caller of start() may replace. */
export type Overrides = {
  clock?: Clock;
  newId?: NewId;
  /** Returns numbers in [0, 1). */
  random?: () => number;
  log?: Log;
  peers?: Partial<Record<ServiceName, Connect>>;
  /** Time limits in Postgres, in place of the usual ones. */
  databaseLimits?: Partial<Limits>;
};

export type Service = AsyncDisposable & {
  readonly rpcUrl: string;
  /** For callers in this process. */
  readonly directTransport: Connect;
};

export function readServiceConfig(env: EnvReader) {
  const json = <T>(name: string, empty: T): T => {
    const text = env.file(name);
    try {
      return text === "" ? empty : (JSON.parse(text) as T);
    } catch {
      env.problem(`${name} must name a JSON file`);
      return empty;
    }
  };
  return {
    host: env.string("HOST", "127.0.0.1"),
    rpcPort: env.integer("RPC_PORT", 0, 0, 65_535),
    /** How long a stop goes on serving, so that callers learn of it first. */
    lameDuckMs: env.integer("LAME_DUCK_MS", 3_000, 0, 600_000),
    /** How long work in progress may then take. */
    drainMs: env.integer("DRAIN_MS", 10_000, 0, 600_000),
    databaseUrl: readDatabaseUrl(env, "DATABASE_URL"),
    /** When set, the service migrates its schema at start; when not, it waits until that has been done. */
    migrateDatabaseUrl:
      env.optional("MIGRATE_DATABASE_URL") && readDatabaseUrl(env, "MIGRATE_DATABASE_URL"),
    maxConnections: env.integer("DATABASE_CONNECTIONS", 10, 1, 1_000),
    nats: readNatsConfig(env),
    identity: json<ServiceKey>("SERVICE_KEY_FILE", { owner: "", iat: 0 }),
    /** Everyone's public keys. */
    trusted: json<TrustedKeys>("TRUSTED_KEYS_FILE", { keys: [] }),
    /** Undefined: RPCs are not encrypted, neither those of this service nor its calls. */
    rpcTls: readRpcTls(env),
    logLevel: readLogLevel(env),
    /** Undefined: nothing is traced. */
    tracing: readTracing(env),
  };
}

export function readLogLevel(env: EnvReader): string {
  return env.oneOf("LOG_LEVEL", LOG_LEVELS, "info");
}

/** What every service is made of. */
export type Base = Awaited<ReturnType<typeof openBase>>;

/** What the log says at a start, besides what every service has. */
type Surroundings = { listens?: readonly string[]; uses?: readonly string[] };

/** Migrates if configured and opens the connections of a service. `stack` closes them in reverse order. */
export async function openBase(
  name: ServiceName,
  config: ServiceConfig & { tls?: { cert: string } | undefined },
  overrides: Overrides,
  stack: AsyncDisposableStack,
) {
  const { owner } = config.identity;
  if (owner !== name) {
    throw new ConfigError([`SERVICE_KEY_FILE must be ${name}'s private key, not ${owner}'s`]);
  }
  const log = overrides.log ?? createLog(name, config.logLevel);
  let isServing = false;
  stack.defer(() => {
    if (isServing) log.info({}, "stopped");
  });
  const { hosts, database } = parseDatabaseUrl(config.databaseUrl);
  const servers = hosts.map(({ host, port }) => `${host}:${port}`).join();
  // The addresses without passwords.
  const uses = [`postgres ${servers}/${database}`, `nats ${config.nats.servers.join()}`];
  const schema = schemaOf(name);
  if (config.migrateDatabaseUrl !== undefined) {
    const onWait = (reason: string) =>
      log.warn({ schema: name, reason }, "the migration of the schema waits");
    await migrate({ url: config.migrateDatabaseUrl, ...schema, onWait });
  }
  const { databaseUrl: url, maxConnections } = config;
  const pool = { url, maxConnections, limits: overrides.databaseLimits ?? {} };
  const metrics = new Registry();
  const random = overrides.random ?? Math.random;
  const tracer = stack.use(await openTracer(name, config.tracing, random));
  const sql = connectPostgres(pool, name, sqlMetrics(metrics, tracer));
  stack.defer(() => sql.end());
  if (config.migrateDatabaseUrl === undefined) {
    await schemaReady(sql, schema, { clock: systemClock, log });
  }
  const clock = overrides.clock ?? stack.use(await openDatabaseClock(sql, { log }));
  const bus = stack.use(connectBus(config.nats, { clock, log, metrics }));
  const shutdown = createShutdown(config, clock);
  onAbort(shutdown.begun, () => log.info({ ms: config.lameDuckMs }, "stopping, still serves"));
  onAbort(shutdown.draining, () => log.info({ ms: config.drainMs }, "draining, takes nothing new"));
  const readiness = createReadiness({ sql, clock, shutdown });
  const { isReady } = readiness;
  const limits = loadLimits({ clock, metrics });
  const rpcs = rpcMetrics(metrics, tracer);
  processMetrics(metrics, {
    service: name,
    certificates: { rpc: config.rpcTls?.cert, public: config.tls?.cert },
    keyMadeAt: config.identity.iat,
    isReady,
  });
  return {
    clock,
    newId: overrides.newId ?? randomId,
    /** Returns numbers in [0, 1). */
    random,
    log,
    sql,
    bus,
    /** The stop in its steps (not ready, draining, deadline); begins when the service is disposed of. */
    shutdown,
    ...readiness,
    loadLimits: limits,
    /** Served at /metrics on the RPC port. */
    metrics,
    tracer,
    /** A transport to another service: direct where it runs in this process, else HTTP/2 to its replicas. */
    peer(peerName: ServiceName, urls: PeerUrls | undefined): Transport {
      const override = overrides.peers?.[peerName];
      uses.push(`${peerName} ${override || !urls ? "in this process" : urls.join()}`);
      if (override) return override(name);
      if (!urls) throw new Error(`the URL of ${peerName} is not configured`);
      checkSchemes(peerName, urls, config.rpcTls);
      const token = tokenInterceptor(config.identity, peerName, clock);
      const interceptors = [rpcs.client(peerName), contextSender, token];
      const http = stack.use(overHttp(urls, interceptors, config.rpcTls));
      onAbort(shutdown.deadline, () => http[Symbol.dispose]());
      return http;
    },
    /** Opens the RPC port and says so in the log: the last step of a start. Takes over what `stack` closes. */
    async serve(routes: Routes, about: Surroundings = {}): Promise<Service> {
      const interceptors = [contextReceiver, rpcs.server, serverInterceptor({ limits, log })];
      const { host, rpcPort: port, rpcTls: tls } = config;
      const listen = { host, port, tls };
      const gate = accessGate(tokenVerifier(config.trusted, name, clock));
      const deps = { gate, interceptors, isReady, metrics, shutdown, tracer, log };
      const server = stack.use(await startRpcServer(listen, routes, deps));
      stack.defer(() => shutdown.begin());
      isServing = true;
      const listens = [server.url, ...(about.listens ?? [])];
      log.info({ version: VERSION, listens, uses: [...uses, ...(about.uses ?? [])] }, "serving");
      const { url: rpcUrl, directTransport } = server;
      const running = stack.move();
      return { rpcUrl, directTransport, [Symbol.asyncDispose]: () => running.disposeAsync() };
    },
  };
}

/** Added to the time that a stop may take, before the process ends itself. */
const EXIT_GRACE_MS = 1_000;

/** Runs a service in a process of its own: starts it, waits for SIGINT or SIGTERM, drains. */
export async function runService<C extends { lameDuckMs?: number; drainMs: number }>(
  readConfig: (env: Env) => C,
  start: (config: C) => Promise<AsyncDisposable>,
): Promise<void> {
  endOnUncaught();
  try {
    let isStarted = false;
    const signal = new Promise<void>((resolve) => {
      const stop = () => {
        // Nothing to drain: it may be waiting for its schema.
        if (!isStarted) process.exit(0);
        resolve();
      };
      for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, stop);
    });
    const config = readConfig(process.env);
    {
      await using _service = await start(config);
      isStarted = true;
      process.stdout.write("ready\n");
      await signal;
      const mayTakeMs = (config.lameDuckMs ?? 0) + config.drainMs + EXIT_GRACE_MS;
      setTimeout(() => {
        logCrash(new Error("a stop takes too long"), "still stopping after DRAIN_MS; exiting");
        process.exit(1);
      }, mayTakeMs).unref();
    }
    // What a library has left open does not keep the process: the client of NATS forgets connections that it lost.
    process.exit(0);
  } catch (error) {
    // Whoever writes the configuration reads this: one line for each problem.
    if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`);
    else logCrash(error, "the service could not start or stop");
    // What a failed start has left open does not keep the process, or nobody would start it again.
    process.exit(1);
  }
}
