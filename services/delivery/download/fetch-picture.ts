/** Fetches a picture that a client named: public addresses only, into memory, capped, typed by its own bytes. */
import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { UrlCheck } from "#runtime/address.ts";
import { deadline } from "../egress/http-exchange.ts";
import { imageSize } from "../media/image-header.ts";
import { MediaError } from "../media/media-error.ts";
import { openDownload } from "./open-download.ts";
import type { ImageType } from "../media/sniff.ts";
import { SNIFF_BYTES, sniffType } from "../media/sniff.ts";

export type Picture = { content: Uint8Array; contentType: ImageType };

export type PictureResult =
  | ({ outcome: "ok" } & Picture)
  /** There is no readable picture, and asking again would not find one. `reason` is for the log. */
  | { outcome: "unreadable"; reason: string }
  /** Asking again may help. */
  | { outcome: "retryable"; reason: string };

export type FetchPicture = (url: string, signal?: AbortSignal) => Promise<PictureResult>;

export type PictureDeps = {
  /** Refuses addresses that are not public. */
  agent: Dispatcher;
  /** Says of a whole URL, without asking DNS, whether it may be called. */
  check: (url: string) => UrlCheck;
};

export type PictureLimits = { maxBytes: number; maxPixels: number; deadlineMs: number };

export const PICTURE_LIMITS: PictureLimits = {
  maxBytes: 20_000_000,
  maxPixels: 64_000_000,
  deadlineMs: 20_000,
};

/** The URL and each redirect are checked as at create, then again at dial. The function never rejects. */
export function pictureFetcher(deps: PictureDeps, limits = PICTURE_LIMITS): FetchPicture {
  const mayAsk = (url: URL): boolean => deps.check(url.href).ok;
  const dispatchers = { guarded: deps.agent, direct: deps.agent };
  return async (url, caller) => {
    if (!deps.check(url).ok) return unreadable("blocked_address");
    using limit = deadline(limits.deadlineMs);
    const signal = caller ? AbortSignal.any([limit.signal, caller]) : limit.signal;
    const download = { url, isConfiguredOrigin: false, mayAsk };
    const opened = await openDownload(dispatchers, download, signal);
    switch (opened.outcome) {
      case "gone":
        return unreadable(`status ${opened.statusCode}`);
      case "retryable":
        return isLasting(opened.reason) ? unreadable(opened.reason) : opened;
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
    return await recognise(content, limits);
  } catch {
    return { outcome: "retryable", reason: "broken off" };
  } finally {
    body.on("error", () => undefined).destroy();
  }
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

async function recognise(content: Buffer, { maxPixels }: PictureLimits): Promise<PictureResult> {
  const type = sniffType(content.subarray(0, SNIFF_BYTES));
  if (!isImage(type)) return unreadable("no picture");
  const readAt = (at: number, length: number): Promise<Buffer> =>
    Promise.resolve(content.subarray(at, at + length));
  try {
    const { width, height } = await imageSize(type, readAt, content.byteLength);
    const pixels = width * height;
    if (pixels === 0 || pixels > maxPixels) return unreadable(`${width}x${height} pixels`);
    return { outcome: "ok", content, contentType: type };
  } catch (error) {
    if (error instanceof MediaError) return unreadable(error.fault);
    throw error;
  }
}

function isImage(type: ReturnType<typeof sniffType>): type is ImageType {
  return type?.startsWith("image/") ?? false;
}

/** Answers that stay as they are, apart from trouble that passes. */
function isLasting(reason: string): boolean {
  if (["blocked_address", "too many redirects", "not a URL"].includes(reason)) return true;
  const [, status] = /^status (\d{3})$/.exec(reason) ?? [];
  const code = Number(status);
  return code < 500 && ![408, 425, 429].includes(code);
}

const unreadable = (reason: string): PictureResult => ({ outcome: "unreadable", reason });
