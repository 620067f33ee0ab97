/** Sends requests at a fixed rate, however long their answers take, and times every answer. */
import { Agent, request } from "node:http";
import { systemClock } from "#runtime/clock.ts";

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

export type Sender = Disposable & { send: (call: Call, dueAt?: number) => Promise<Answer> };

/** Has as many kept-alive connections as there are requests at a time. */
export function sender(url: string): Sender {
  const agent = new Agent({ keepAlive: true });
  return {
    send: ({ method, path, key, body }, dueAt = performance.now()) =>
      new Promise((resolve) => {
        const payload = body === undefined ? undefined : JSON.stringify(body);
        const answer = (status: number, hasRetryAfter: boolean, text: string) =>
          resolve({ status, hasRetryAfter, ms: performance.now() - dueAt, body: text });
        const headers = {
          authorization: `Bearer ${key}`,
          ...(payload === undefined ? {} : { "content-type": "application/json" }),
        };
        const sent = request(`${url}${path}`, { agent, method, headers, timeout: TIMEOUT_MS });
        sent.once("timeout", () => sent.destroy());
        sent.once("error", () => answer(0, false, ""));
        sent.once("response", (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
          response.once("error", () => answer(0, false, ""));
          response.once("end", () =>
            answer(response.statusCode ?? 0, response.headers["retry-after"] !== undefined, text),
          );
        });
        sent.end(payload);
      }),
    [Symbol.dispose]: () => agent.destroy(),
  };
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
