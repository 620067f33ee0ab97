/** The connection to NATS: made in the background, retried until it succeeds, with the stream in place. */
import { connect, nanos } from "nats";
import type { NatsConnection } from "nats";
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { STREAM } from "./events.ts";

const CONNECT_TIMEOUT_MS = 2_000;

export type BusConfig = { url: string };

/** The pause before the next try when the event stream is unavailable. */
export const RETRY_MS = 500;

/** Retries until connected; undefined when `stop` aborted first. Once connected, the client reconnects on its own. */
export async function connectWithRetries(
  config: BusConfig,
  clock: Clock,
  stop: AbortSignal,
  log: Log,
): Promise<NatsConnection | undefined> {
  while (!stop.aborted) {
    try {
      const { username, password, host } = new URL(config.url);
      return await connect({
        servers: host,
        ...(username ? { user: username, pass: password } : {}),
        maxReconnectAttempts: -1,
        reconnectTimeWait: RETRY_MS,
        timeout: CONNECT_TIMEOUT_MS,
      });
    } catch (error) {
      log.warn({ err: error }, "event stream unavailable, retrying");
      await clock.sleep(RETRY_MS, stop);
    }
  }
  return undefined;
}

/** Creates the stream if it is missing: JetStream may have been wiped. */
export async function ensureStream(nats: NatsConnection): Promise<void> {
  const manager = await nats.jetstreamManager();
  try {
    await manager.streams.info(STREAM.name);
  } catch {
    await manager.streams.add({
      name: STREAM.name,
      subjects: STREAM.subjects,
      max_age: nanos(STREAM.maxAgeMs),
    });
  }
}
