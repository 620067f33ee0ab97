/** Spreads the calls of one peer over its replicas: one HTTP/2 session of Connect's session manager to each address. */
import { Code, ConnectError } from "@connectrpc/connect";
import { Http2SessionManager } from "@connectrpc/connect-node";
import { lookup } from "node:dns/promises";
import type { ClientHttp2Stream, Http2Session } from "node:http2";
import type { LookupFunction } from "node:net";
import type { RpcTls } from "../tls.ts";

/** A session whose peer owes the answer to a ping for longer ends, and with it its calls. */
const PINGS = { pingIntervalMs: 1_000, pingTimeoutMs: 3_500 };
/** Several outputs may be in transfer at once; Node ends such calls at its default of 10 MB. */
const SESSION_MEMORY_MB = 1_000;
/** A replica whose last call got no answer comes after the others for this time. */
const AVOIDED_FOR_MS = 5_000;
const LOOK_UP_EVERY_MS = 2_000;

type Replica = {
  ip: string;
  manager: Http2SessionManager;
  callsInFlight: number;
  /** When a call was last lost. */
  lostAtMs: number;
};

/**
 * One session manager, for Connect, of all replicas. Looks up the names of `urls` from the first call on. A call goes
 * to the replica with the fewest in flight, or the next that can be reached. Disposal ends sessions and their calls.
 */
export function openReplicas(
  urls: readonly [string, ...string[]],
  tls: RpcTls | undefined,
): Pick<Http2SessionManager, "authority" | "request" | "notifyResponseByteRead"> & Disposable {
  const replicas = new Map<string, Replica[]>();
  const all = () => [...replicas.values()].flat();
  let isStopped = false;
  let opened: Promise<unknown> | undefined;

  /** Again and again, because replicas come and go. */
  const lookUp = async (url: string) => {
    // A name that cannot be resolved keeps its last addresses.
    const found = await addressesOf(url).catch(() => undefined);
    if (isStopped) return;
    if (found) {
      const before = replicas.get(url) ?? [];
      const known = ({ ip }: Address) => before.find((replica) => replica.ip === ip);
      // The session of one that is left out ends when its calls have.
      const now = found.map((address) => known(address) ?? openReplica(address, tls));
      replicas.set(url, now);
    }
    setTimeout(() => void lookUp(url), LOOK_UP_EVERY_MS).unref();
  };
  const inOrder = () => {
    const avoidedSince = performance.now() - AVOIDED_FOR_MS;
    const rank = ({ lostAtMs, callsInFlight }: Replica) =>
      (lostAtMs > avoidedSince ? lostAtMs : 0) * 1_000_000 + callsInFlight;
    return all().toSorted((a, b) => rank(a) - rank(b));
  };

  return {
    authority: new URL(urls[0]).origin,
    async request(method, path, headers, options) {
      await (opened ??= Promise.all(urls.map(lookUp)));
      let fault: unknown = new Error(`${urls.join(", ")}: no address`);
      for (const replica of isStopped ? [] : inOrder()) {
        replica.callsInFlight += 1;
        try {
          return counted(replica, await replica.manager.request(method, path, headers, options));
        } catch (error) {
          // Nothing was sent.
          replica.callsInFlight -= 1;
          replica.lostAtMs = performance.now();
          fault = error;
        }
      }
      const { rawMessage } = ConnectError.from(fault);
      throw new ConnectError(`no replica can be reached: ${rawMessage}`, Code.Unavailable);
    },
    notifyResponseByteRead(stream) {
      for (const { manager } of all()) manager.notifyResponseByteRead(stream);
    },
    [Symbol.dispose]() {
      isStopped = true;
      const reason = new ConnectError("this process is stopping", Code.Unavailable);
      for (const { manager } of all()) manager.abort(reason);
    },
  };
}

function openReplica(address: Address, tls: RpcTls | undefined): Replica {
  const manager = new Http2SessionManager(address.url, PINGS, {
    maxSessionMemory: SESSION_MEMORY_MB,
    lookup: pinned(address),
    ...(tls && { ...tls, minVersion: "TLSv1.3" }),
  });
  return { ip: address.ip, manager, callsInFlight: 0, lostAtMs: -Infinity };
}

/** Resolves every name to this address; the name itself stays the authority and the name in certificates. */
export function pinned({ ip, family }: Address): LookupFunction {
  return (_hostname, { all }, callback) =>
    all ? callback(null, [{ address: ip, family }]) : callback(null, ip, family);
}

const guarded = new WeakSet<Http2Session>();

function counted(replica: Replica, stream: ClientHttp2Stream): ClientHttp2Stream {
  const { session } = stream;
  // NOTE: without this, an error of a session that the manager has left ends the process (connect-es issue 1768).
  if (session && !guarded.has(session)) guarded.add(session.on("error", () => undefined));
  let isAnswered = false;
  stream.once("response", () => {
    isAnswered = true;
    replica.lostAtMs = -Infinity;
  });
  stream.once("close", () => {
    replica.callsInFlight -= 1;
    if (!isAnswered) replica.lostAtMs = performance.now();
  });
  return stream;
}

/** One replica, or a load balancer before several. */
export type Address = { url: string; ip: string; family: number };

export async function addressesOf(url: string): Promise<Address[]> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  const found = await lookup(host, { all: true });
  // A name may have the same address twice.
  const byIp = new Map(found.map(({ address: ip, family }) => [ip, { url, ip, family }]));
  return [...byIp.values()];
}
