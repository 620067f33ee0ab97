/** One connection to NATS, made again whatever ends it, until disposed. Its client soon leaves a silent server. */
import { readFileSync } from "node:fs";
import {
  connect,
  credsAuthenticator,
  Events,
  nkeyAuthenticator,
  type ConnectionOptions,
  type NatsConnection,
  type TlsOptions,
} from "nats";
import { ENDED } from "../abort.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { NatsConfig, NatsCredentials, NatsTls } from "./config.ts";

/** Returns at once and connects in the background. */
export function keepConnection(config: NatsConfig, { clock, log }: { clock: Clock; log: Log }) {
  const stop = new AbortController();
  let open: NatsConnection | undefined;
  let up: NatsConnection | undefined;
  let waiting = Promise.withResolvers<void>();
  const setUp = (nats: NatsConnection) => {
    up = nats;
    waiting.resolve();
    log.info({ server: nats.getServer() }, "event stream connected");
  };
  /** `error` is undefined where the server has only closed the connection. */
  const setDown = (server: string | undefined, error?: unknown) => {
    if (up === undefined) return;
    up = undefined;
    waiting = Promise.withResolvers();
    log.warn({ server, err: error }, "event stream unavailable, reconnecting");
  };

  const watch = async (nats: NatsConnection) => {
    let refused: unknown;
    for await (const { type, data } of nats.status()) {
      if (type === Events.Disconnect) setDown(nameOf(data));
      else if (type === Events.Reconnect) setUp(nats);
      else if (type === Events.Error && data !== refused) {
        refused = data;
        log.warn({ reason: nameOf(data) ?? type }, "event stream refused");
      }
    }
  };
  const holdOne = async () => {
    const nats = await connect(connectOptions(config));
    open = nats;
    if (stop.signal.aborted) return nats.close();
    setUp(nats);
    // The statuses do not end with the connection.
    void watch(nats);
    const error = await nats.closed();
    if (!stop.signal.aborted) setDown(nats.getServer(), error);
    return clock.sleep(RETRY_MS, stop.signal);
  };
  const failed = (err: unknown) => log.warn({ err }, "event stream unavailable, retrying");
  void repeatUntil(stop.signal, clock, holdOne, failed);

  return {
    /** Undefined while there is none. */
    get up(): NatsConnection | undefined {
      return up;
    },
    /** Resolves when connected; undefined when this was disposed first. */
    async connected(): Promise<NatsConnection | undefined> {
      if (up === undefined && !stop.signal.aborted) await waiting.promise;
      return up;
    },
    async [Symbol.asyncDispose]() {
      stop.abort(ENDED);
      up = undefined;
      waiting.resolve();
      // A connect that is under way closes what it opens.
      await open?.close();
    },
  };
}

/** What a status is about, where it says so. */
function nameOf(data: unknown): string | undefined {
  return typeof data === "string" ? data : undefined;
}

const CONNECT_TIMEOUT_MS = 2_000;
/** A server that has not answered three pings in a row is left for another. */
const PING_EVERY_MS = 2_000;
const MAX_UNANSWERED_PINGS = 2;

/** The pause before the next try when the event stream is unavailable. */
const RETRY_MS = 500;

/** Runs `body` again and again until `stop` aborts, after a pause where it fails: `failed` hears of each new reason. */
export async function repeatUntil(
  stop: AbortSignal,
  clock: Clock,
  body: () => Promise<void>,
  failed: (error: unknown) => void,
): Promise<void> {
  let reported: string | undefined;
  while (!stop.aborted) {
    try {
      await body();
      reported = undefined;
    } catch (error) {
      if (stop.aborted) return;
      const { message } = error as Error;
      // One line for each reason: an outage has many tries.
      if (message !== reported) failed(error);
      reported = message;
      await clock.sleep(RETRY_MS, stop);
    }
  }
}

function connectOptions({ servers, credentials, tls }: NatsConfig): ConnectionOptions {
  return {
    servers,
    ...authenticationOf(credentials),
    ...(tls === undefined ? {} : { tls: tlsOptions(tls) }),
    maxReconnectAttempts: -1,
    reconnectTimeWait: RETRY_MS,
    timeout: CONNECT_TIMEOUT_MS,
    pingInterval: PING_EVERY_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    noAsyncTraces: true,
  };
}

function authenticationOf(credentials: NatsCredentials): ConnectionOptions {
  const { credsFile, nkeyFile, ...inOptions } = credentials;
  if (credsFile) return { authenticator: credsAuthenticator(() => readFileSync(credsFile)) };
  if (nkeyFile) {
    const seed = () => new TextEncoder().encode(readFileSync(nkeyFile, "utf8").trim());
    return { authenticator: nkeyAuthenticator(seed) };
  }
  return inOptions;
}

/** Without paths: while the client read files, a reset of the socket would be an uncaught exception. */
function tlsOptions({ caFile, certFile, keyFile }: NatsTls): TlsOptions {
  const options: TlsOptions = {};
  const files = { ca: caFile, cert: certFile, key: keyFile };
  for (const [name, file] of Object.entries(files)) {
    if (file === undefined) continue;
    Object.defineProperty(options, name, {
      enumerable: true,
      get: () => readFileSync(file, "utf8"),
    });
  }
  return options;
}
