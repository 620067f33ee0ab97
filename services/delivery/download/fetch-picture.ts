/** Fetches a picture from a client's URL into memory: public addresses only, limited in size, typed by its bytes. */
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { UrlCheck } from "#runtime/address.ts";
import { deadline } from "../egress/http-exchange.ts";
import { inspectPicture } from "../media/picture.ts";
import type { ImageType } from "../media/sniff.ts";
import { openDownload } from "./open-download.ts";

export type Picture = { content: Uint8Array; contentType: ImageType };

export type PictureResult =
  | ({ outcome: "ok" } & Picture)
  /** The URL has no readable picture; a retry cannot succeed. `reason` is for the log. */
  | { outcome: "unreadable"; reason: string }
  /** A retry may succeed. */
  | { outcome: "retryable"; reason: string };

export type FetchPicture = (url: string, signal?: AbortSignal) => Promise<PictureResult>;

export type PictureDeps = {
  /** Refuses addresses that are not public. */
  agent: Dispatcher;
  /** Whether a URL may be called; decided without DNS. */
  check: (url: string) => UrlCheck;
};

export type PictureLimits = { maxBytes: number; maxPixels: number; deadlineMs: number };

export const PICTURE_LIMITS: PictureLimits = {
  maxBytes: 20_000_000,
  maxPixels: 64_000_000,
  deadlineMs: 20_000,
};

/**
 * The URL and each redirect are checked as webhook URLs are, and their addresses again when connecting. The returned
 * function never rejects.
 */
export function pictureFetcher(deps: PictureDeps, limits = PICTURE_LIMITS): FetchPicture {
  const mayFetch = (url: URL): boolean => deps.check(url.href).ok;
  const dispatchers = { guarded: deps.agent, direct: deps.agent };
  return async (url, caller) => {
    if (!deps.check(url).ok) return unreadable("blocked_address");
    using limit = deadline(limits.deadlineMs);
    const signal = caller ? AbortSignal.any([limit.signal, caller]) : limit.signal;
    const download = { url, isConfiguredOrigin: false, mayFetch };
    const opened = await openDownload(dispatchers, download, signal);
    switch (opened.outcome) {
      case "gone":
        return unreadable(`status ${opened.statusCode}`);
      case "failed":
        return opened.isPermanent ? unreadable(opened.reason) : retryable(opened.reason);
      case "open":
        return await read(opened.body, opened.announcedBytes ?? 0, limits);
    }
  };
}

async function read(
  body: Readable,
  announcedBytes: number,
  limits: PictureLimits,
): Promise<PictureResult> {
  try {
    const content = announcedBytes > limits.maxBytes ? undefined : await readAll(body, limits);
    if (content === undefined) return unreadable(`more than ${limits.maxBytes} bytes`);
    return await pictureOf(content, limits.maxPixels);
  } catch {
    return retryable("connection lost");
  } finally {
    body.on("error", () => undefined).destroy();
  }
}

/** The picture with these bytes. */
export async function pictureOf(content: Buffer, maxPixels: number): Promise<PictureResult> {
  const info = await inspectPicture(content, maxPixels);
  if ("fault" in info) return unreadable(info.fault);
  return { outcome: "ok", content, contentType: info.contentType };
}

async function readAll(body: Readable, { maxBytes }: PictureLimits): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const unreadable = (reason: string): PictureResult => ({ outcome: "unreadable", reason });
const retryable = (reason: string): PictureResult => ({ outcome: "retryable", reason });
