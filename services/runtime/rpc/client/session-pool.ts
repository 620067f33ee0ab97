/**
 * Spreads the calls of one peer over HTTP/2 sessions to all of its replicas. Connect's own Http2SessionManager in the
 * place of session.ts failed 5 of the 11 tests of lost replicas, restarts and repeated calls, and ended the process by
 * "PING timed out" (version 2.2.0, connect-es issue 1768): it takes a frozen process that accepts connections for one
 * that answers, and neither says which session owes an answer nor pings when asked to.
 */
import type { ClientHttp2Stream, OutgoingHttpHeaders } from "node:http2";
import { Code, ConnectError } from "@connectrpc/connect";
import { systemClock, within } from "../../clock.ts";
import type { RpcTls } from "../tls.ts";
import { watchAddresses, type Address } from "./addresses.ts";
import { keepReplica, type Place, type Replica } from "./replica.ts";
import type { Session } from "./session.ts";

/** How long a call waits for a session that can take it, while one may still come. */
const MAX_WAIT_MS = 2_000;
/** How long a call waits for a session that answers pings in time, before it takes one that is late. */
const MAX_WAIT_FOR_PROMPT_MS = 250;

export type SessionPool = {
  /** Begins a POST to `path`. Rejects with `unavailable` where no session can take it. */
  request: (path: string, headers: OutgoingHttpHeaders) => Promise<ClientHttp2Stream>;
  /** Ends all sessions and their calls. */
  destroy: () => void;
};

/** Opens its sessions with the first call. All `urls` are addresses of the same service. */
export function sessionPool(
  urls: readonly [string, ...string[]],
  tls: RpcTls | undefined,
): SessionPool {
  const replicas = new Map<string, Replica>();
  const stop = new AbortController();
  let change = Promise.withResolvers<void>();
  let turn = 0;
  let places: readonly Place[] = [];

  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const follow = (found: readonly Address[]) => {
    const wanted = new Map(found.map((address) => [`${address.url} ${address.ip}`, address]));
    for (const [key, address] of wanted) {
      if (!replicas.has(key)) replicas.set(key, keepReplica(address, tls, stop.signal, changed));
    }
    for (const [key, replica] of replicas) {
      if (wanted.has(key)) continue;
      replica.close();
      replicas.delete(key);
    }
    places = [...replicas.values()].flatMap((replica) => replica.places);
    changed();
  };
  let opened: Promise<void> | undefined;

  /** The session with the fewest calls in flight, of those that are not suspect unless `takesLate`; equal ones take turns. */
  const pick = (takesLate: boolean): Session | undefined => {
    let best: Session | undefined;
    turn += 1;
    for (let index = 0; index < places.length; index += 1) {
      const one = places[(turn + index) % places.length]?.session;
      if (!one?.isOpen() || (one.isSuspect() && !takesLate)) continue;
      if (!best || one.openStreams() < best.openStreams()) best = one;
    }
    return best;
  };

  const choose = async (): Promise<Session> => {
    await (opened ??= watchAddresses(urls, stop.signal, follow));
    const startedAt = performance.now();
    for (;;) {
      const waitedMs = performance.now() - startedAt;
      const takesLate = waitedMs >= MAX_WAIT_FOR_PROMPT_MS;
      const session = stop.signal.aborted ? undefined : pick(takesLate);
      if (session) return session;
      const mayCome =
        !stop.signal.aborted && places.some((one) => !one.fault || one.session?.isOpen());
      if (!mayCome || waitedMs >= MAX_WAIT_MS) throw unreachable(urls, places);
      const leftMs = (takesLate ? MAX_WAIT_MS : MAX_WAIT_FOR_PROMPT_MS) - waitedMs;
      await within(systemClock, leftMs, change.promise);
    }
  };

  return {
    async request(path, headers) {
      for (;;) {
        const session = await choose();
        try {
          return session.request({ ":method": "POST", ":path": path, ...headers });
        } catch (error) {
          // A session that ended a moment ago has sent nothing.
          if (session.isOpen()) throw error;
        }
      }
    },
    destroy: () => {
      stop.abort();
      changed();
    },
  };
}

function unreachable(urls: readonly string[], places: readonly Place[]): ConnectError {
  const reasons = places.flatMap(({ fault }) => fault?.message ?? []);
  const text = [...new Set(reasons)].join("; ") || `${urls.join(", ")}: no answer`;
  return new ConnectError(`no replica can be reached: ${text}`, Code.Unavailable);
}
