/** One HTTP/2 session to one address of a peer, which ends as soon as the peer is silent. */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { LookupFunction } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import { onAbort } from "../../abort.ts";
import type { RpcTls } from "../tls.ts";
import type { Address } from "./addresses.ts";

/** How long a peer may take to accept a connection and send its settings, or to answer a ping. */
const ANSWER_WITHIN_MS = 1_500;
/** A peer that has not answered a ping when the next is due gets no calls while others have answered. */
const PING_EVERY_MS = 250;
/** A session is replaced after this time, ±20 %, so that calls spread anew behind a load balancer. */
const MAX_AGE_MS = 180_000;

/** Several outputs may be in transfer at once; Node ends such calls at its default of 10 MB. */
const SESSION_MEMORY_MB = 1_000;

export type Session = {
  /** False once either side is ending the session. */
  isOpen(): boolean;
  /** Whether the peer owes an answer to a ping. */
  isSuspect(): boolean;
  /** The number of calls in flight. */
  openStreams(): number;
  /** Begins a call. Throws when the session has just ended; then nothing was sent. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream;
  /** Sends a ping now and makes the session suspect until the answer. */
  verify(): void;
  /** Lets the calls in flight end; new ones are refused. */
  close(): void;
  /** Resolves when it takes no more calls, or is to be replaced. */
  readonly left: Promise<void>;
};

/**
 * Connects and waits for the peer's settings, because the system also accepts connections for a stopped process.
 * Rejects when there are none within ANSWER_WITHIN_MS. `stop` ends the session and its calls; `onChange` is called when
 * a ping was answered late.
 * Silence is measured in real time, whatever clock the service uses.
 */
export async function openSession(
  address: Address,
  tls: RpcTls | undefined,
  stop: AbortSignal,
  onChange: () => void,
): Promise<Session> {
  const session = connect(address.url, {
    maxSessionMemory: SESSION_MEMORY_MB,
    lookup: pinned(address),
    ...(tls && { ca: tls.ca, cert: tls.cert, key: tls.key, minVersion: "TLSv1.3" }),
  });
  // NOTE: stays for good. An error of a session that nobody uses any more would otherwise end the process, as with
  // Connect's own session manager (connect-es issue 1768).
  let fault: unknown;
  session.on("error", (error) => (fault = error));
  await settled(session, address, () => fault);
  session.unref();
  return watched(session, address, stop, onChange);
}

/** Resolves every name to this address; the name itself stays the authority and the name in certificates. */
function pinned({ ip, family }: Address): LookupFunction {
  return (_hostname, { all }, callback) =>
    all ? callback(null, [{ address: ip, family }]) : callback(null, ip, family);
}

async function settled(
  session: ClientHttp2Session,
  address: Address,
  fault: () => unknown,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => session.destroy(), ANSWER_WITHIN_MS);
  session.once("remoteSettings", () => resolve());
  session.once("close", () => {
    const cause = fault();
    const reason = cause instanceof Error ? cause.message : "no answer";
    reject(new Error(`${address.url} (${address.ip}): ${reason}`, { cause }));
  });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
  }
}

function watched(
  session: ClientHttp2Session,
  address: Address,
  stop: AbortSignal,
  onChange: () => void,
): Session {
  const { promise: left, resolve: leave } = Promise.withResolvers<void>();
  const oldAt = performance.now() + MAX_AGE_MS * (0.8 + Math.random() * 0.4);
  let streams = 0;
  let pingSentAt: number | undefined;
  let isSuspect = false;

  const isSilent = () =>
    pingSentAt !== undefined && performance.now() - pingSentAt > ANSWER_WITHIN_MS;
  const destroy = (reason: string) => session.destroy(new ConnectError(reason, Code.Unavailable));
  const ping = () => {
    if (session.destroyed) return;
    pingSentAt ??= performance.now();
    session.ping((error) => {
      if (error) return;
      pingSentAt = undefined;
      if (isSuspect) onChange();
      isSuspect = false;
    });
  };
  const verify = () => {
    isSuspect = true;
    ping();
  };
  const check = () => {
    if (performance.now() > oldAt) leave();
    if (pingSentAt === undefined) return ping();
    isSuspect = true;
    // NOTE: the answer is read first if it has arrived: this process may be the one that was paused.
    const silent = `${address.url} (${address.ip}) stopped answering within a call, which may have been carried out`;
    setImmediate(() => isSilent() && destroy(silent));
  };
  const checks = setInterval(check, PING_EVERY_MS).unref();
  const stopping = onAbort(stop, () => destroy("this process is stopping"));
  session.once("goaway", () => {
    leave();
    // NOTE: Node leaves a session without streams open after GOAWAY.
    if (streams === 0) session.destroy();
  });
  session.once("close", () => {
    clearInterval(checks);
    stopping[Symbol.dispose]();
    leave();
  });

  return {
    left,
    isOpen: () => !session.closed && !session.destroyed,
    isSuspect: () => isSuspect,
    openStreams: () => streams,
    request(headers) {
      const stream = session.request(headers);
      streams += 1;
      session.ref();
      stream.once("close", () => {
        streams -= 1;
        if (streams === 0) session.unref();
        // Without a call in flight it would be given the refused one again, before those that handle calls.
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) verify();
      });
      return stream;
    },
    verify,
    close: () => session.close(),
  };
}
