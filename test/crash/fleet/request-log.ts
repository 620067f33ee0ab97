/** A `fetch` that records what became of every request, for the fault budgets. */
import { Agent, request as undiciRequest } from "undici";
import type { Fetch } from "../../../clients/typescript/http/send.ts";

export type Attempt = {
  /** Unix milliseconds. */
  endedAt: number;
  /** 0: no answer. */
  status: number;
  /** Why there was no answer, or the error code of the answer. */
  reason: string;
};

export type RequestLog = Disposable & { attempts: readonly Attempt[]; fetch: Fetch };

/** The reason of an answer that tells how an image ended. */
export const GENERATION_ERROR = "generation_error";
/** The reason when a customer did not wait for the answer. */
export const ABANDONED = "Abandoned";
const NO_BODY = new Set([204, 205, 304]);

/** Not the global `fetch`: the tests' own wraps it, and knows nothing of load balancers. */
export function openRequestLog(): RequestLog {
  const attempts: Attempt[] = [];
  const dispatcher = new Agent({ connections: 256, keepAliveTimeout: 30_000 });
  return {
    attempts,
    async fetch(request, init) {
      const { method, url } = request;
      const attempt = { endedAt: 0, status: 0, reason: "" };
      try {
        const body = method === "GET" ? null : await request.text();
        const headers = Object.fromEntries(request.headers);
        const options = { method, headers, body, dispatcher, headersTimeout: 0, bodyTimeout: 0 };
        const answer = await undiciRequest(url, {
          ...(options as object),
          ...(init ? { signal: init.signal } : {}),
        });
        const text = await answer.body.text();
        attempt.status = answer.statusCode;
        if (answer.statusCode >= 400) {
          const isEnd = text.includes('"type":"generation_error"');
          attempt.reason = isEnd ? GENERATION_ERROR : (/"code":"(\w+)"/.exec(text)?.[1] ?? "");
        }
        return new Response(NO_BODY.has(answer.statusCode) ? null : text, {
          status: answer.statusCode,
          headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
        });
      } catch (error) {
        const { code, name } = error as { code?: unknown; name: string };
        attempt.reason = typeof code === "string" ? code : name;
        throw error;
      } finally {
        attempt.endedAt = Date.now();
        attempts.push(attempt);
      }
    },
    [Symbol.dispose]: () => void dispatcher.destroy(),
  };
}
