/** Sends one request over a connection of its own, and only if its first byte leaves in time. */
import type { Socket } from "node:net";
import { buildConnector, Client } from "undici";
import { systemClock, type Clock } from "#runtime/clock.ts";

/**
 * An attempt that has not begun to send by then is given up. A process that was paused must not send a request that
 * other processes already treat as lost.
 */
export const SENT_WITHIN_MS = 4_000;

const CONNECT_TIMEOUT_MS = 10_000;
const connect = buildConnector({ allowH2: false, timeout: CONNECT_TIMEOUT_MS });

/** One request's connection. */
export type SendOnce = AsyncDisposable & {
  client: Client;
  /** True once the first byte was given to the operating system. */
  isSent: () => boolean;
};

/**
 * The connection is not shared: an upstream may close an idle one while a request is being sent, and such a lost create
 * cannot be distinguished from one that arrived.
 */
export function sendOnce(origin: string, clock: Clock): SendOnce {
  const timeLeft = timeLimit(clock, SENT_WITHIN_MS);
  let isSent = false;
  const client = new Client(origin, {
    pipelining: 0,
    connect: (options, callback) =>
      connect(options, (error, socket) => {
        if (error) return callback(error, null);
        guardWrites(socket, () => isSent || (isSent = timeLeft()));
        callback(null, socket);
      }),
  });
  return {
    client,
    isSent: () => isSent,
    [Symbol.asyncDispose]: () => client.destroy(),
  };
}

/**
 * True until `ms` from now, by whichever clock is ahead. The time of the database and the monotonic clock stop while
 * the machine is suspended; the time of the machine does not, and may be set.
 */
function timeLimit(clock: Clock, ms: number): () => boolean {
  const read = () => [clock.now().getTime(), clock.monotonicMs(), systemClock.now().getTime()];
  const begun = read();
  return () => read().every((now, index) => now - (begun[index] ?? 0) <= ms);
}

/**
 * Asks `mayWrite` in the same turn as, and directly before, the system call that sends. A request is built before it is
 * written, so a check outside the socket would leave all of that between the check and the first byte.
 */
function guardWrites(socket: Socket, mayWrite: () => boolean): void {
  const write = socket._write.bind(socket);
  const writev = socket._writev?.bind(socket);
  const tooLate = () => new Error("too late to send");
  socket._write = (chunk, encoding, callback) =>
    mayWrite() ? write(chunk, encoding, callback) : callback(tooLate());
  if (!writev) return;
  socket._writev = (chunks, callback) =>
    mayWrite() ? writev(chunks, callback) : callback(tooLate());
}
