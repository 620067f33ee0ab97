/** Keeps sessions open to one address: reopens those that were lost and replaces old ones. */
import type { RpcTls } from "../tls.ts";
import { pause, type Address } from "./addresses.ts";
import { openSession, type Session } from "./session.ts";

/** Behind one address there may be a load balancer, which gives every session a replica. */
const SESSIONS_PER_ADDRESS = 3;
/** The wait before the next session; doubled by every failure in a row. */
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/** The place of a session: the last one that was opened, and why the last try failed if it did. */
export type Place = { session?: Session; fault?: Error | undefined };

export type Replica = {
  places: readonly Place[];
  /** Lets the calls in flight end and opens no more sessions. */
  close: () => void;
};

/** `changed` is called when a session was opened, takes no more calls, or answered late; or none could be opened. */
export function keepReplica(
  address: Address,
  tls: RpcTls | undefined,
  stop: AbortSignal,
  changed: () => void,
): Replica {
  const places = Array.from({ length: SESSIONS_PER_ADDRESS }, (): Place => ({}));
  const closed = new AbortController();
  const ended = AbortSignal.any([stop, closed.signal]);

  const keep = async (place: Place) => {
    for (let failures = 0; !ended.aborted;) {
      try {
        const next = await openSession(address, tls, stop, changed);
        place.session?.close();
        place.session = next;
        place.fault = undefined;
        failures = 0;
        changed();
        if (!ended.aborted) await next.left;
        // What ended one session may end them all: the others get calls again when they have answered a ping.
        for (const { session } of places) if (session?.isOpen()) session.verify();
      } catch (error) {
        failures += 1;
        place.fault = error as Error;
      }
      changed();
      await pause(Math.min(PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), ended);
    }
    place.session?.close();
  };
  for (const place of places) void keep(place);

  return {
    places,
    close: () => {
      closed.abort();
      for (const { session } of places) session?.close();
    },
  };
}
