/** One HTTP request with a total deadline and a limit on how much of the response is read. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { egressErrorCode, type EgressErrorCode } from "./error-code.ts";
import { deadline, openExchange } from "./http-exchange.ts";

export type GuardedRequest = {
  method: Dispatcher.HttpMethod;
  url: string;
  headers: Record<string, string>;
  body?: Uint8Array | string;
  /** The time from the call to the last byte that is read of the response. */
  deadlineMs: number;
  /** Reading stops after this many bytes; the request still succeeds. */
  maxResponseBytes: number;
};

export type GuardedResponse = {
  ok: true;
  statusCode: number;
  headers: IncomingHttpHeaders;
  /** The first bytes as received, never decompressed: at most `maxResponseBytes`. */
  body: Buffer;
};

export type GuardedResult = GuardedResponse | { ok: false; error: EgressErrorCode };

/**
 * Sends one request through `agent` (see createGuardedAgent). Redirects are not followed. Never rejects.
 */
export async function guardedRequest(
  agent: Dispatcher,
  { url, deadlineMs, maxResponseBytes, ...sent }: GuardedRequest,
): Promise<GuardedResult> {
  using limit = deadline(deadlineMs);
  try {
    const exchange = { ...sent, dispatcher: agent, signal: limit.signal };
    const { statusCode, headers, body } = await openExchange(url, exchange);
    return { ok: true, statusCode, headers, body: await readFirst(body, maxResponseBytes) };
  } catch (error) {
    return { ok: false, error: egressErrorCode(error) };
  }
}

function readFirst(body: Readable, maxBytes: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const end = () => resolve(Buffer.concat(chunks, Math.min(bytes, maxBytes)));
  body.on("data", (chunk: Uint8Array) => {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < maxBytes) return;
    end();
    // This also closes the connection.
    body.destroy();
  });
  body.on("end", end);
  body.on("error", reject);
  return promise;
}
