/** Publishes events in the background, within bounds of time and memory; what cannot be published is dropped. */
import { headers, type MsgHdrs } from "nats";
import type { Log } from "../log.ts";
import type { BusObserver } from "./bus-metrics.ts";
import { TRACEPARENT_HEADER, REQUEST_ID_HEADER } from "../rpc/context.ts";
import { workContext } from "../work-context.ts";
import type { KeptConnection } from "./connection.ts";
import type { EnsureStream } from "./stream.ts";

/** The limit of one try; an event has two, and the stream is looked at between them. */
const PUBLISH_TIMEOUT_MS = 2_000;
/** How long an event waits for the connection. */
const CONNECT_WAIT_MS = 2_000;
/** Events of at most some kilobytes each. */
const MAX_IN_FLIGHT = 1_000;

/** What the event's work belongs to, for who reads the stream. */
function contextHeaders(): MsgHdrs {
  const made = headers();
  const { requestId, traceparent } = workContext();
  if (requestId !== undefined) made.set(REQUEST_ID_HEADER, requestId);
  if (traceparent !== undefined) made.set(TRACEPARENT_HEADER, traceparent);
  return made;
}

export type Publisher = {
  publish: (subject: string, payload: Uint8Array) => void;
  /** Resolves when no event is being published. */
  idle: () => Promise<unknown>;
};

/** `ensureStream` is called after a first failure: the stream may have been deleted. */
export function createPublisher(
  connection: KeptConnection,
  ensureStream: EnsureStream,
  { log, observer }: { log: Log; observer?: Pick<BusObserver, "published"> | undefined },
): Publisher {
  const inFlight = new Set<Promise<void>>();
  let dropped = 0;

  const send = async (subject: string, payload: Uint8Array): Promise<void> => {
    const nats = await connection.connected(CONNECT_WAIT_MS);
    if (nats === undefined) throw new Error("not connected");
    const jetstream = nats.jetstream();
    const options = { timeout: PUBLISH_TIMEOUT_MS, headers: contextHeaders() };
    try {
      await jetstream.publish(subject, payload, options);
    } catch {
      await ensureStream(nats);
      await jetstream.publish(subject, payload, options);
    }
  };
  const sent = (subject: string) => {
    observer?.published(subject, "published");
    if (dropped > 0) log.info({ dropped }, "events are published again");
    dropped = 0;
  };
  const drop = (subject: string, error: Error) => {
    // One line for each outage, however many events it costs.
    if (dropped === 0) {
      log.warn({ err: error, subject }, "event not published; its row will be found without it");
    }
    dropped += 1;
    observer?.published(subject, "dropped");
  };

  return {
    publish(subject, payload) {
      if (inFlight.size >= MAX_IN_FLIGHT) return drop(subject, new Error("too many in flight"));
      const sending = send(subject, payload)
        .then(
          () => sent(subject),
          (error: Error) => drop(subject, error),
        )
        .finally(() => inFlight.delete(sending));
      inFlight.add(sending);
      return undefined;
    },
    idle: () => Promise.all(inFlight),
  };
}
