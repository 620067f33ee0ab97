/** Opens a download and follows its redirects, checking each of them. */
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { egressErrorCode } from "../egress/error-code.ts";
import { openExchange } from "../egress/http-exchange.ts";

export type Download = {
  url: string;
  isConfiguredOrigin: boolean;
  headers?: Record<string, string>;
  /** Whether the target of a redirect may be fetched; any may by default. */
  mayFetch?: (url: URL) => boolean;
};

export type OpenedDownload =
  | { outcome: "open"; body: Readable; announcedBytes: number | undefined }
  | { outcome: "gone"; statusCode: number }
  | FailedDownload;

/** `isPermanent`: the same URL would fail in the same way again. `reason` is for the log. */
type FailedDownload = { outcome: "failed"; reason: string; isPermanent: boolean };

const MAX_REDIRECTS = 3;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const GONE = new Set([403, 404, 410]);
/** Besides those from 500. */
const TEMPORARY = new Set([408, 425, 429]);

/**
 * The download's headers, and for a configured origin the `direct` dispatcher, are used only for the origin of its own
 * URL and only until a redirect leaves it: a foreign redirect back to that origin gets neither. Never rejects.
 */
export async function openDownload(
  { guarded, direct }: { guarded: Dispatcher; direct: Dispatcher },
  download: Download,
  signal: AbortSignal,
): Promise<OpenedDownload> {
  const origin = URL.parse(download.url)?.origin;
  let url = URL.parse(download.url);
  let isOwn = true;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    if (url === null) return failed("not a URL", true);
    isOwn &&= url.origin === origin;
    const dispatcher = isOwn && download.isConfiguredOrigin ? direct : guarded;
    const headers = { ...(isOwn ? download.headers : {}), "accept-encoding": "identity" };
    const response = await request(url, { dispatcher, headers, signal });
    if ("outcome" in response) return response;
    const { statusCode } = response;
    if (statusCode === 200) {
      return { outcome: "open", body: response.body, announcedBytes: contentLength(response) };
    }
    response.body.on("error", () => undefined).destroy();
    if (GONE.has(statusCode)) return { outcome: "gone", statusCode };
    if (!REDIRECTS.has(statusCode)) {
      return failed(`status ${statusCode}`, statusCode < 500 && !TEMPORARY.has(statusCode));
    }
    url = URL.parse(String(response.headers["location"] ?? ""), url.href);
    if (url && !(download.mayFetch?.(url) ?? true)) {
      return failed("blocked_address", true);
    }
  }
  return failed("too many redirects", true);
}

async function request(
  url: URL,
  options: { dispatcher: Dispatcher; headers: Record<string, string>; signal: AbortSignal },
): Promise<Dispatcher.ResponseData | FailedDownload> {
  try {
    return await openExchange(url, { method: "GET", ...options });
  } catch (error) {
    const code = egressErrorCode(error);
    return failed(code, code === "blocked_address");
  }
}

const failed = (reason: string, isPermanent: boolean): FailedDownload => ({
  outcome: "failed",
  reason,
  isPermanent,
});

function contentLength({ headers }: Dispatcher.ResponseData): number | undefined {
  const bytes = Number(headers["content-length"] ?? NaN);
  return Number.isSafeInteger(bytes) ? bytes : undefined;
}
