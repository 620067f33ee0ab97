/** Downloads from the URLs that upstreams and clients name. */
import type { Dispatcher } from "undici";
import { egressErrorCode, openExchange } from "./request.ts";

export type Download = {
  /** The agent for all origins but a configured one: see createGuardedAgent. */
  guarded: Dispatcher;
  /** The agent for the URL's own origin if that is in our configuration, so that its address is not checked. */
  direct?: Dispatcher;
  /** Sent to the URL's own origin only, not to other origins that it redirects to. */
  headers?: Record<string, string>;
  /** Whether the URL, and the target of each redirect, may be fetched; any may by default. */
  mayFetch?: (url: URL) => boolean;
  maxBytes: number;
  signal: AbortSignal;
};

export type Downloaded<T> =
  /** `isWhole`: the file has the length that was announced. One of unknown length may have ended too early. */
  | { outcome: "ok"; value: T; isWhole: boolean }
  | { outcome: "gone"; statusCode: number }
  /** Wherever it is fetched from. */
  | TooLong
  | FailedDownload;

type TooLong = { outcome: "too_long"; reason: string };

/** `isPermanent`: the same URL would fail in the same way again. `reason` is for the log. */
type FailedDownload = { outcome: "failed"; reason: string; isPermanent: boolean };

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
  { guarded, direct = guarded, mayFetch = () => true, maxBytes, signal, ...own }: Download,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Downloaded<T>> {
  let url = URL.parse(from);
  const origin = url?.origin;
  let isOwn = true;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    if (url === null) return failed("not a URL", true);
    if (!mayFetch(url)) return failed("blocked_address", true);
    isOwn &&= url.origin === origin;
    const headers = { ...(isOwn ? own.headers : {}), "accept-encoding": "identity" };
    const dispatcher = isOwn ? direct : guarded;
    const response = await openExchange(url, { method: "GET", dispatcher, headers, signal }).catch(
      faultOf,
    );
    if ("outcome" in response) return response;
    const { statusCode } = response;
    if (statusCode === 200) return readBody(response, maxBytes, read);
    response.body.on("error", () => undefined).destroy();
    if (GONE.has(statusCode)) return { outcome: "gone", statusCode };
    if (!REDIRECTS.has(statusCode)) {
      return failed(`status ${statusCode}`, statusCode < 500 && !TEMPORARY.has(statusCode));
    }
    url = URL.parse(String(response.headers["location"] ?? ""), url.href);
  }
  return failed("too many redirects", true);
}

async function readBody<T>(
  { body, headers }: Dispatcher.ResponseData,
  maxBytes: number,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<Downloaded<T>> {
  const announced = Number(headers["content-length"] ?? NaN);
  let fault: FailedDownload | TooLong | undefined;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    try {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) break;
        yield chunk;
      }
    } catch (error) {
      fault = faultOf(error);
    }
    if (bytes > maxBytes) fault = tooLong(maxBytes);
    else if (announced > bytes) fault ??= failed(`${bytes} of ${announced} bytes`, false);
    if (fault) throw new Error(fault.reason);
  }
  try {
    if (announced > maxBytes) return tooLong(maxBytes);
    const value = await read(chunks());
    return { outcome: "ok", value, isWhole: !Number.isNaN(announced) };
  } catch (error) {
    if (fault) return fault;
    throw error;
  } finally {
    body.on("error", () => undefined).destroy();
  }
}

function faultOf(error: unknown): FailedDownload {
  const code = egressErrorCode(error);
  return failed(code, code === "blocked_address");
}

const tooLong = (maxBytes: number): TooLong => ({
  outcome: "too_long",
  reason: `more than ${maxBytes} bytes`,
});
const failed = (reason: string, isPermanent: boolean): FailedDownload => ({
  outcome: "failed",
  reason,
  isPermanent,
});
