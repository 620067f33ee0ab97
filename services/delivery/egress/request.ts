/** One HTTP request with a deadline and a limit on what is read of the answer, and downloads on it. */
import { request, type Dispatcher } from "undici";
import { onAbort } from "#runtime/abort.ts";
import { BlockedAddressError } from "./guarded-agent.ts";

export type GuardedRequest = {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array | string;
  /** The time from the call to the last byte that is read of the response. */
  deadlineMs: number;
  /** Reading stops after this many bytes; the request still succeeds. */
  maxResponseBytes: number;
};

/**
 * Posts through `agent` (see createGuardedAgent). Redirects are not followed. The body that is returned has at most the
 * first `maxResponseBytes` as received, never decompressed. Never rejects.
 */
export async function guardedRequest(
  agent: Dispatcher,
  { url, deadlineMs, maxResponseBytes, ...sent }: GuardedRequest,
) {
  try {
    const signal = AbortSignal.timeout(deadlineMs);
    const exchange = { ...sent, method: "POST", dispatcher: agent, signal } as const;
    const response = await openExchange(url, exchange);
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
    return { ok: true as const, statusCode, headers, body };
  } catch (error) {
    return { ok: false as const, error: egressErrorCode(error) };
  }
}

type Exchange = Parameters<typeof request>[1] & { signal: AbortSignal };

/** Rejects as soon as `signal` aborts: undici heeds it only once it is connected. */
async function openExchange(url: string | URL, exchange: Exchange) {
  const { signal } = exchange;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  using _listener = onAbort(signal, () => aborted.reject(signal.reason));
  return await Promise.race([request(url, exchange), aborted.promise]);
}

const CODES = [
  [/^(ENOTFOUND|EAI_\w+|ENODATA|ESERVFAIL|EREFUSED)$/, "dns_error"],
  [/^ECONNREFUSED$/, "connection_refused"],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/, "connection_reset"],
  [/^(EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH)$|CERT/, "tls_error"],
  [/^(ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, "timeout"],
  [/^UND_ERR_HEADERS_OVERFLOW$/, "too_large_headers"],
] as const;

export type EgressErrorCode = (typeof CODES)[number][1] | "blocked_address" | "network_error";

/** The code for an error of undici, Node's sockets, TLS or DNS; `network_error` for any other. */
function egressErrorCode(error: unknown): EgressErrorCode {
  if (error instanceof BlockedAddressError) return "blocked_address";
  if (!(error instanceof Error)) return "network_error";
  if (error.name === "TimeoutError") return "timeout";
  const { code } = error as NodeJS.ErrnoException;
  const known = CODES.find(([pattern]) => typeof code === "string" && pattern.test(code));
  if (known) return known[1];
  return error.cause === undefined ? "network_error" : egressErrorCode(error.cause);
}

export type Download = {
  /** The agent for all origins but a configured one: see createGuardedAgent. */
  guarded: Dispatcher;
  /** The agent for the URL's own origin if that is in our configuration, so that its address is not checked. */
  direct?: Dispatcher;
  /** Sent to the URL's own origin only, not to other origins that it redirects to. */
  headers?: Record<string, string>;
  maxBytes: number;
  signal: AbortSignal;
};

export type Downloaded<T> =
  /** `isWhole`: the file has the length that was announced. One of unknown length may have ended too early. */
  { outcome: "ok"; value: T; isWhole: boolean } | Fault;

/**
 * A `refused` file is so wherever it is fetched from, one that is `gone` is so by this URL each time, and a `retryable`
 * one may come next time. `unusable`: nothing comes of this URL, but another may. `reason` is for the log.
 */
export type Fault =
  | { outcome: "gone" | "refused" | "retryable"; reason: string }
  | { outcome: "unusable"; reason: string };

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const GONE = new Set([403, 404, 410]);
/** Besides those from 500. */
const TEMPORARY = new Set([408, 425, 429]);

/**
 * Gives the file to `read` as it arrives. Faults of the other side and the network are results; it rejects as `read` does,
 * where that is not for such a fault. A foreign redirect back to the URL's own origin gets neither its headers nor `direct`.
 */
export async function download<T>(
  from: string,
  { guarded, direct = guarded, maxBytes, signal, ...own }: Download,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Downloaded<T>> {
  let url = URL.parse(from);
  const origin = url?.origin;
  let isOwn = true;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    if (url === null || !/^https?:$/.test(url.protocol)) return unusable("not a URL of HTTP");
    isOwn &&= url.origin === origin;
    const headers = { ...(isOwn ? own.headers : {}), "accept-encoding": "identity" };
    const dispatcher = isOwn ? direct : guarded;
    const response = await openExchange(url, { dispatcher, headers, signal }).catch(faultOf);
    if ("outcome" in response) return response;
    const { statusCode } = response;
    if (statusCode === 200) return readBody(response, maxBytes, read);
    response.body.on("error", () => undefined).destroy();
    const reason = `status ${statusCode}`;
    if (GONE.has(statusCode)) return { outcome: "gone", reason };
    if (statusCode >= 500 || TEMPORARY.has(statusCode)) return { outcome: "retryable", reason };
    if (!REDIRECTS.has(statusCode)) return unusable(reason);
    url = URL.parse(String(response.headers["location"] ?? ""), url.href);
  }
  return unusable("too many redirects");
}

async function readBody<T>(
  { body, headers }: Dispatcher.ResponseData<unknown>,
  maxBytes: number,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Downloaded<T>> {
  const announced = Number(headers["content-length"] ?? NaN);
  const tooLong: Fault = { outcome: "refused", reason: `more than ${maxBytes} bytes` };
  /** Of the body: any other error is one of `read`. */
  let fault: Fault | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new RangeError(tooLong.reason);
        yield chunk;
      }
    } catch (error) {
      fault = bytes > maxBytes ? tooLong : faultOf(error);
      throw error;
    }
  }
  try {
    if (announced > maxBytes) return tooLong;
    const value = await read(chunks());
    return { outcome: "ok", value, isWhole: !Number.isNaN(announced) };
  } catch (error) {
    if (fault) return fault;
    throw error;
  } finally {
    body.on("error", () => undefined).destroy();
  }
}

function faultOf(error: unknown): Fault {
  const code = egressErrorCode(error);
  return code === "blocked_address" ? unusable(code) : { outcome: "retryable", reason: code };
}

export const unusable = (reason: string): Fault => ({ outcome: "unusable", reason });
