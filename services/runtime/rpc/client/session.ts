/** One HTTP/2 session to one address of a peer, which ends as soon as the peer is silent. */
import {
  connect,
  constants,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionRequestOptions,
  type OutgoingHttpHeaders,
} from "node:http2";
import type { LookupFunction } from "node:net";
import { Code, ConnectError } from "@connectrpc/connect";
import type { RpcTls } from "../tls.ts";
import type { Address } from "./addresses.ts";

/** How long a peer may take to accept a connection and send its settings, or to answer a ping. */
const ANSWER_WITHIN_MS = 1_500;
const PING_EVERY_MS = 500;
/** A peer that takes longer to answer a ping gets no calls while others answer in time. */
const SUSPECT_AFTER_MS = 250;
const CHECK_EVERY_MS = 125;

/** Several outputs may be in transfer at once; Node ends such calls at its default of 10 MB. */
const SESSION_MEMORY_MB = 1_000;

export type Session = {
  readonly address: Address;
  /** False once either side is ending the session. */
  isOpen(): boolean;
  /** Whether the peer owes an answer to a ping. */
  isSuspect(): boolean;
  /** The number of calls in flight. */
  openStreams(): number;
  /** Begins a call. Throws when the session has just ended; then nothing was sent. */
  request(
    headers: OutgoingHttpHeaders,
    options: Omit<ClientSessionRequestOptions, "signal">,
  ): ClientHttp2Stream;
  /** Sends a ping now and makes the session suspect until the answer. */
  verify(): void;
  /** Lets the calls in flight end; new ones are refused. */
  close(): void;
  /** Ends the session and its calls with `error`. */
  destroy(error: ConnectError): void;
  /** Resolves when it takes no more calls: with false if the connection was lost, without a word from the peer. */
  readonly left: Promise<boolean>;
  /** Resolves when the last call has ended too. */
  readonly ended: Promise<void>;
};

/**
 * Connects and waits for the peer's settings, because the system also accepts connections for a stopped process.
 * Rejects when there are none within ANSWER_WITHIN_MS. `onChange` is called when a ping was answered late.
 * Silence is measured in real time, whatever clock the service uses.
 */
export async function openSession(
  address: Address,
  tls: RpcTls | undefined,
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
  return watched(session, address, onChange);
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

function watched(session: ClientHttp2Session, address: Address, onChange: () => void): Session {
  const { promise: left, resolve: leave } = Promise.withResolvers<boolean>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let streams = 0;
  let pingSentAt: number | undefined;
  let lastAnswerAt = performance.now();
  let mustVerify = false;

  const isOpen = () => !session.closed && !session.destroyed;
  const waitedMs = () => (pingSentAt === undefined ? 0 : performance.now() - pingSentAt);
  const isSuspect = () => mustVerify || waitedMs() > SUSPECT_AFTER_MS;
  const ping = () => {
    if (session.destroyed) return;
    pingSentAt ??= performance.now();
    session.ping((error) => {
      if (error) return;
      const wasSuspect = isSuspect();
      pingSentAt = undefined;
      mustVerify = false;
      lastAnswerAt = performance.now();
      if (wasSuspect) onChange();
    });
  };
  const verify = () => {
    mustVerify = true;
    ping();
  };
  const destroy = (error: ConnectError) => {
    session.destroy(error);
    leave(false);
  };
  const check = () => {
    if (pingSentAt === undefined) {
      if (performance.now() - lastAnswerAt >= PING_EVERY_MS) ping();
    } else if (waitedMs() > ANSWER_WITHIN_MS) {
      // NOTE: the answer is read first if it has arrived: this process may be the one that was paused.
      setImmediate(() => {
        if (waitedMs() > ANSWER_WITHIN_MS) destroy(new ConnectError("silent", Code.Unavailable));
      });
    }
  };
  const checks = setInterval(check, CHECK_EVERY_MS).unref();
  session.once("goaway", () => {
    leave(true);
    // NOTE: Node leaves a session without streams open after GOAWAY.
    if (streams === 0) session.destroy();
  });
  session.once("close", () => {
    clearInterval(checks);
    leave(false);
    end();
  });

  return {
    address,
    left,
    ended,
    isOpen,
    isSuspect,
    openStreams: () => streams,
    request(headers, options) {
      const stream = session.request(headers, options);
      streams += 1;
      session.ref();
      stream.once("close", () => {
        streams -= 1;
        if (streams === 0) session.unref();
        // Without a call in flight it would be given the refused one again, before those that handle calls.
        if (stream.rstCode === constants.NGHTTP2_REFUSED_STREAM) verify();
        if (!isOpen()) leave(false);
      });
      return stream;
    },
    verify,
    close: () => {
      leave(true);
      session.close();
    },
    destroy,
  };
}
