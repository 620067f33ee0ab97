/** Sends requests at a fixed rate, however long their answers take, and times every answer. */
import { systemClock } from "#runtime/clock.ts";
import { keepAlive, requestText, type KeptAlive } from "./kept-alive.ts";

export type Call = { method: "GET" | "POST"; path: string; key: string; body?: object };

export type Answer = {
  /** 0: the connection broke, or there was no answer in time. */
  status: number;
  hasRetryAfter: boolean;
  /** From the moment at which the request was due, so that a late sender counts against the service. */
  ms: number;
  body: string;
};

/** Longer than any answer may take. */
const TIMEOUT_MS = 30_000;
const TICK_MS = 5;

/**
 * Opens a connection for a request that finds none free, up to `maxConnections` as a load balancer does: beyond them
 * requests wait for one.
 */
export function sender(port: number, maxConnections: number) {
  const free: KeptAlive[] = [];
  const waiting = new Set<(connection: KeptAlive) => void>();
  let opened = 0;

  const take = async (): Promise<KeptAlive> => {
    for (let connection = free.pop(); connection; connection = free.pop()) {
      if (!connection.isClosed()) return connection;
      opened -= 1;
    }
    if (opened >= maxConnections) return new Promise((resolve) => waiting.add(resolve));
    opened += 1;
    return keepAlive(port, TIMEOUT_MS);
  };
  const release = (connection: KeptAlive) => {
    const [next] = waiting;
    if (!next) return void free.push(connection);
    waiting.delete(next);
    next(connection.isClosed() ? keepAlive(port, TIMEOUT_MS) : connection);
  };

  return {
    async send(call: Call, dueAt = performance.now()): Promise<Answer> {
      const connection = await take();
      const received = await connection.request(requestOf(call)).catch(() => undefined);
      release(connection);
      return {
        status: received?.status ?? 0,
        hasRetryAfter: received?.head.includes("\r\nretry-after: ") === true,
        ms: performance.now() - dueAt,
        body: received?.body() ?? "",
      };
    },
  };
}

function requestOf({ method, path, key, body }: Call): Buffer {
  const type = body && { "Content-Type": "application/json" };
  const headers = { Authorization: `Bearer ${key}`, ...type };
  return Buffer.from(requestText(method, `/v1${path}`, headers, body && JSON.stringify(body)));
}

/** Sends `rate` requests a second for `seconds`, and resolves when all are answered. */
export async function sendAtRate(
  rate: number,
  seconds: number,
  send: (dueAt: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Promise<Answer>[] = [];
  const begin = performance.now();
  while (answers.length < rate * seconds) {
    const due = Math.min(rate * seconds, ((performance.now() - begin) / 1_000) * rate);
    while (answers.length < due) answers.push(send(begin + (answers.length * 1_000) / rate));
    await systemClock.sleep(TICK_MS);
  }
  return Promise.all(answers);
}
