/** One connection to NATS that is made again whatever ends it, for as long as it is not disposed. */
import { readFileSync } from "node:fs";
import {
  connect,
  credsAuthenticator,
  type ConnectionOptions,
  type NatsConnection,
  type TlsOptions,
} from "nats";
import { ENDED } from "../abort.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { NatsConfig } from "./config.ts";

/** Returns at once and connects in the background. */
export function keepConnection(config: NatsConfig, { clock, log }: { clock: Clock; log: Log }) {
  const stop = new AbortController();
  /** Those of the configuration, and the others of their cluster. */
  const servers = new Set(config.servers);
  let up: NatsConnection | undefined;
  let waiting = Promise.withResolvers<void>();

  const holdOne = async () => {
    const nats = await connect(optionsOf(config, [...servers]));
    if (stop.signal.aborted) return nats.close();
    const server = nats.getServer();
    for (const url of nats.info?.connect_urls ?? []) servers.add(url);
    up = nats;
    waiting.resolve();
    log.info({ server }, "event stream connected");
    const error = await nats.closed();
    up = undefined;
    waiting = Promise.withResolvers();
    if (!stop.signal.aborted)
      log.warn({ server, err: error ?? undefined }, "event stream unavailable, reconnecting");
    return undefined;
  };
  const keep = async () => {
    let reported: string | undefined;
    while (!stop.signal.aborted) {
      try {
        await holdOne();
        reported = undefined;
      } catch (error) {
        const { message } = error as Error;
        // One line for each reason: an outage has many tries.
        if (message !== reported) log.warn({ err: error }, "event stream unavailable, retrying");
        reported = message;
      }
      await clock.sleep(RETRY_MS, stop.signal);
    }
  };
  void keep();

  return {
    /** Undefined while there is none. */
    get up(): NatsConnection | undefined {
      return up?.isClosed() ? undefined : up;
    },
    /** Resolves when connected; undefined when this was disposed first. */
    async connected(): Promise<NatsConnection | undefined> {
      // Its subscriptions end before it has closed.
      if (up?.isClosed()) await up.closed();
      if (up === undefined && !stop.signal.aborted) await waiting.promise;
      return stop.signal.aborted ? undefined : up;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(ENDED);
      waiting.resolve();
      // A connect that is under way closes what it opens.
      await up?.close();
    },
  };
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A server that has not answered three pings in a row is left for another. */
const PING_EVERY_MS = 2_000;
const MAX_UNANSWERED_PINGS = 2;

/** The pause before the next try when the event stream is unavailable. */
export const RETRY_MS = 500;

/** Reads the files, so that they can be renewed while the process runs. */
function optionsOf({ user, credsFile, tls }: NatsConfig, servers: string[]): ConnectionOptions {
  return {
    servers,
    ...user,
    ...(credsFile && { authenticator: credsAuthenticator(readFileSync(credsFile)) }),
    ...(tls && { tls: tlsOptions(tls) }),
    // The next connection is made here, whatever ended this one.
    reconnect: false,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    noAsyncTraces: true,
  };
}

/** Not by their paths: while the client read files, a reset of the socket would be an uncaught exception. */
function tlsOptions(files: NonNullable<NatsConfig["tls"]>): TlsOptions {
  const texts = Object.entries(files).map(([name, file]) => [name, readFileSync(file, "utf8")]);
  return Object.fromEntries(texts) as TlsOptions;
}
