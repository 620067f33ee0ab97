/** One connection to NATS that is made again whatever ends it, for as long as it is not disposed. */
import { connect, Events, type NatsConnection } from "nats";
import { ENDED } from "../abort.ts";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { NatsConfig } from "./config.ts";
import { connectOptions, RETRY_MS } from "./connect-options.ts";

export type KeptConnection = AsyncDisposable & {
  /** Undefined while there is none. */
  readonly up: NatsConnection | undefined;
  /** Resolves when connected; undefined when this was disposed first. */
  connected: () => Promise<NatsConnection | undefined>;
};

/** Returns at once and connects in the background. */
export function keepConnection(
  config: NatsConfig,
  { clock, log }: { clock: Clock; log: Log },
): KeptConnection {
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
    get up() {
      return up;
    },
    async connected() {
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
