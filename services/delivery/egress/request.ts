/** One HTTP request with a total deadline and a limit on how much of the response is read. */
import type { IncomingHttpHeaders } from "node:http";
import { request, type Dispatcher } from "undici";
import { BlockedAddressError } from "./guarded-agent.ts";

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
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const response = await openExchange(url, { ...sent, dispatcher: agent, signal });
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      // Leaving the loop closes the connection.
      if (bytes >= maxResponseBytes) break;
    }
    const { statusCode, headers } = response;
    const body = Buffer.concat(chunks, Math.min(bytes, maxResponseBytes));
    return { ok: true, statusCode, headers, body };
  } catch (error) {
    return { ok: false, error: egressErrorCode(error) };
  }
}

type Exchange = Pick<GuardedRequest, "method" | "headers" | "body"> & {
  dispatcher: Dispatcher;
  signal: AbortSignal;
};

/**
 * Resolves when the response's headers have arrived. Rejects as soon as `signal` aborts, even while undici is still
 * connecting (undici itself checks the signal only afterwards). Later, `signal` destroys the response's body.
 */
export async function openExchange(
  url: string | URL,
  { signal, body, ...options }: Exchange,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const response = request(url, { ...options, signal, ...(body === undefined ? {} : { body }) });
    return await Promise.race([response, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

export type EgressErrorCode =
  | "blocked_address"
  | "dns_error"
  | "connection_refused"
  | "connection_reset"
  | "tls_error"
  | "timeout"
  | "too_large_headers"
  | "network_error";

const CODES: readonly (readonly [RegExp, EgressErrorCode])[] = [
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EREFUSED)$/, "dns_error"],
  [/^ECONNREFUSED$/, "connection_refused"],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/, "connection_reset"],
  [/^(EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$|CERT/, "tls_error"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "too_large_headers"],
];

/** The code for an error of undici, Node's sockets, TLS or DNS; `network_error` for any other. */
export function egressErrorCode(error: unknown): EgressErrorCode {
  if (error instanceof BlockedAddressError) return "blocked_address";
  if (!(error instanceof Error)) return "network_error";
  if (error.name === "TimeoutError") return "timeout";
  const { code } = error as NodeJS.ErrnoException;
  const known = CODES.find(([pattern]) => typeof code === "string" && pattern.test(code));
  if (known) return known[1];
  // Several addresses were tried, and all failed.
  if (error instanceof AggregateError) return egressErrorCode(error.errors[0]);
  return error.cause === undefined ? "network_error" : egressErrorCode(error.cause);
}
