/** Keeps a number of sessions open to one address: reopens those that were lost and replaces old ones. */
import { setTimeout as timeout } from "node:timers/promises";
import type { ConnectError } from "@connectrpc/connect";
import type { Address } from "./addresses.ts";
import type { RpcTls } from "../tls.ts";
import { openSession, type Session } from "./session.ts";

/** A session is replaced after this time, ±20 %, so that calls spread anew behind a load balancer. */
const MAX_AGE_MS = 180_000;
/** The wait before the next session; doubled by every failure in a row. */
const PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

export type Replica = {
  /** Sessions that take calls. */
  sessions: () => Session[];
  /** Whether a session may be open soon: not every last try has failed. */
  isConnecting: () => boolean;
  /** Why the last try failed. */
  lastError: () => Error | undefined;
  /** Lets the calls in flight end and opens no more sessions. */
  close: () => void;
  /** Ends all calls with `error`. */
  destroy: (error: ConnectError) => void;
};

export type ReplicaEvents = {
  /** A session was opened, takes no more calls, or answered late; or none could be opened. */
  changed: () => void;
  /** A connection was lost, without a word from the peer. */
  lost: () => void;
};

/** `count` sessions to `address`. The other sessions are pinged at once when one is lost. */
export function keepReplica(
  address: Address,
  tls: RpcTls | undefined,
  count: number,
  events: ReplicaEvents,
): Replica {
  const stop = new AbortController();
  const all = new Set<Session>();
  let lastError: Error | undefined;
  let failing = 0;
  const sessions = () => [...all].filter((session) => session.isOpen());

  const onLeft = (wasAnnounced: boolean) => {
    // What ended one session may end them all: the others get calls again when they have answered a ping.
    for (const session of sessions()) session.verify();
    if (!wasAnnounced && !stop.signal.aborted) events.lost();
    events.changed();
  };

  const add = (session: Session) => {
    all.add(session);
    void session.left.then(onLeft);
    void session.ended.then(() => all.delete(session));
    events.changed();
  };

  const keepOne = async (): Promise<void> => {
    let failures = 0;
    let current: Session | undefined;
    while (!stop.signal.aborted) {
      try {
        const next = await openSession(address, tls, events.changed);
        current?.close();
        current = next;
        if (failures > 0) failing -= 1;
        failures = 0;
        add(next);
        await ageOrEnd(next, stop.signal);
      } catch (error) {
        if (failures === 0) failing += 1;
        failures += 1;
        lastError = error as Error;
        events.changed();
      }
      await pause(Math.min(PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), stop.signal);
    }
    current?.close();
  };
  for (let index = 0; index < count; index += 1) void keepOne();

  return {
    sessions,
    isConnecting: () => failing < count,
    lastError: () => lastError,
    close: () => stop.abort(),
    destroy: (error) => {
      stop.abort();
      for (const session of all) session.destroy(error);
    },
  };
}

/** Resolves when the session takes no more calls, is to be replaced, or `stop` aborts. */
async function ageOrEnd(session: Session, stop: AbortSignal): Promise<void> {
  const left = new AbortController();
  void session.left.then(() => left.abort());
  await pause(MAX_AGE_MS * (0.8 + Math.random() * 0.4), AbortSignal.any([left.signal, stop]));
}

/** Resolves after `ms` or when `signal` aborts. Does not keep the process alive. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await timeout(ms, undefined, { ref: false, signal }).catch(() => undefined);
}
