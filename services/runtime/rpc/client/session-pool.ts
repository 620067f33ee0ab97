/** Spreads the calls of one peer over HTTP/2 sessions to all of its replicas. */
import { Code, ConnectError } from "@connectrpc/connect";
import type { ConnectTransportOptions } from "@connectrpc/connect-node";
import { systemClock, within } from "../../clock.ts";
import type { RpcTls } from "../tls.ts";
import { watchAddresses, type Address } from "./addresses.ts";
import { keepReplica, type Replica } from "./replica.ts";
import type { Session } from "./session.ts";

/** Behind one address there may be a load balancer, which gives every session a replica. */
const SESSIONS_PER_ADDRESS = 3;
/** How long a call waits for a session that can take it, while one may still come. */
const MAX_WAIT_MS = 2_000;
/** How long a call waits for a session that answers pings in time, before it takes one that is late. */
const MAX_WAIT_FOR_PROMPT_MS = 250;

type SessionManager = NonNullable<
  Extract<ConnectTransportOptions, { sessionManager?: unknown }>["sessionManager"]
>;

export type SessionPool = SessionManager & {
  /** Ends all sessions and their calls. */
  destroy: () => void;
};

/** Opens its sessions with the first call. All `urls` are addresses of the same service. */
export function sessionPool(
  urls: readonly [string, ...string[]],
  tls: RpcTls | undefined,
): SessionPool {
  const replicas = new Map<string, Replica>();
  let change = Promise.withResolvers<void>();
  let turn = 0;
  let isDestroyed = false;

  const changed = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const lost = () => void addresses.refresh();
  const follow = (found: readonly Address[]) => {
    const wanted = new Map(found.map((address) => [`${address.url} ${address.ip}`, address]));
    for (const [key, address] of wanted) {
      if (replicas.has(key)) continue;
      replicas.set(key, keepReplica(address, tls, SESSIONS_PER_ADDRESS, { changed, lost }));
    }
    for (const [key, replica] of replicas) {
      if (wanted.has(key)) continue;
      replica.close();
      replicas.delete(key);
    }
    changed();
  };
  const addresses = watchAddresses(urls, follow);
  let opened: Promise<void> | undefined;

  /** The session with the fewest calls in flight, of those that `takes` accepts; equal ones take turns. */
  const pick = (takes: (session: Session) => boolean): Session | undefined => {
    const sessions = [...replicas.values()].flatMap((replica) => replica.sessions()).filter(takes);
    turn += 1;
    let best: Session | undefined;
    for (let index = 0; index < sessions.length; index += 1) {
      const session = sessions[(turn + index) % sessions.length];
      if (!session) continue;
      if (!best || session.openStreams() < best.openStreams()) best = session;
    }
    return best;
  };

  const mayCome = () =>
    [...replicas.values()].some(
      (replica) => replica.isConnecting() || replica.sessions().length > 0,
    );

  const choose = async (): Promise<Session> => {
    await (opened ??= addresses.refresh());
    const startedAt = performance.now();
    for (;;) {
      const waitedMs = performance.now() - startedAt;
      const takesLate = waitedMs >= MAX_WAIT_FOR_PROMPT_MS;
      const session = isDestroyed ? undefined : pick((one) => takesLate || !one.isSuspect());
      if (session) return session;
      if (isDestroyed || !mayCome() || waitedMs >= MAX_WAIT_MS) throw unreachable(urls, replicas);
      const leftMs = (takesLate ? MAX_WAIT_MS : MAX_WAIT_FOR_PROMPT_MS) - waitedMs;
      await within(systemClock, leftMs, change.promise);
    }
  };

  return {
    authority: new URL(urls[0]).origin,
    async request(method, path, headers, options) {
      for (;;) {
        const session = await choose();
        try {
          return session.request({ ...headers, ":method": method, ":path": path }, options);
        } catch (error) {
          // A session that ended a moment ago has sent nothing.
          if (session.isOpen()) throw error;
        }
      }
    },
    notifyResponseByteRead: () => {},
    destroy: () => {
      isDestroyed = true;
      addresses[Symbol.dispose]();
      const error = new ConnectError("this process is stopping", Code.Unavailable);
      for (const replica of replicas.values()) replica.destroy(error);
      changed();
    },
  };
}

function unreachable(
  urls: readonly string[],
  replicas: ReadonlyMap<string, Replica>,
): ConnectError {
  const reasons = [...replicas.values()].flatMap((replica) => replica.lastError()?.message ?? []);
  const text = [...new Set(reasons)].join("; ") || `${urls.join(", ")}: no answer`;
  return new ConnectError(`no replica can be reached: ${text}`, Code.Unavailable);
}
