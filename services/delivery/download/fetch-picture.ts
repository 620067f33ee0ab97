/** Fetches a picture from a client's URL into memory: public addresses only, limited in size, typed by its bytes. */
import { buffer } from "node:stream/consumers";
import type { Dispatcher } from "undici";
import type { UrlCheck } from "#runtime/address.ts";
import { assetKeyOf } from "#vocabulary/public-values.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { download } from "../egress/download.ts";
import { inspectPicture, type ImageType } from "../media/inspect.ts";
import { assetTokenOf } from "../domain/file.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { findByTokens } from "../store/assets.ts";

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

/** Checks the URL, each redirect and their addresses. The returned function never rejects. */
export function pictureFetcher(deps: PictureDeps, limits = PICTURE_LIMITS): FetchPicture {
  return async (url, caller) => {
    const timeout = AbortSignal.timeout(limits.deadlineMs);
    const fetched = await download(
      url,
      {
        guarded: deps.agent,
        mayFetch: ({ href }) => deps.check(href).ok,
        maxBytes: limits.maxBytes,
        signal: caller ? AbortSignal.any([timeout, caller]) : timeout,
      },
      (chunks) => buffer(chunks),
    );
    switch (fetched.outcome) {
      case "gone":
        return unreadable(`status ${fetched.statusCode}`);
      case "too_long":
        return unreadable(fetched.reason);
      case "failed":
        return (fetched.isPermanent ? unreadable : retryable)(fetched.reason);
      case "ok":
        return pictureOf(fetched.value, limits.maxPixels);
    }
  };
}

export async function pictureOf(content: Buffer, maxPixels: number): Promise<PictureResult> {
  const info = await inspectPicture(content, maxPixels);
  if ("fault" in info) return unreadable(info.fault);
  return { outcome: "ok", content, contentType: info.contentType };
}

const unreadable = (reason: string): PictureResult => ({ outcome: "unreadable", reason });
const retryable = (reason: string): PictureResult => ({ outcome: "retryable", reason });

export type OwnPictureDeps = {
  sql: Sql;
  store: ObjectStore;
  /** What the URLs of stored files begin with. */
  assetBaseUrl: string;
  /** Fetches every other URL. */
  fetchPicture: FetchPicture;
};

/** A fetch that takes the service's own files from storage: the internet, and what it forbids, do not matter to them. */
export function withOwnPictures(deps: OwnPictureDeps): FetchPicture {
  return async (url, signal) => {
    const key = assetKeyOf(url, deps.assetBaseUrl);
    return key === undefined ? deps.fetchPicture(url, signal) : readOwn(deps, key);
  };
}

async function readOwn({ sql, store }: OwnPictureDeps, key: string): Promise<PictureResult> {
  try {
    const [row] = await findByTokens(sql, [assetTokenOf(key) ?? ""]);
    if (!row || row.isDeleted) return { outcome: "unreadable", reason: "not stored" };
    const found = await store.get(key);
    if (!found) return { outcome: "unreadable", reason: "not stored" };
    if (found.bytes > PICTURE_LIMITS.maxBytes) {
      found.stream.destroy();
      return { outcome: "unreadable", reason: `${found.bytes} bytes` };
    }
    const chunks = await found.stream.toArray();
    return await pictureOf(Buffer.concat(chunks as Buffer[]), PICTURE_LIMITS.maxPixels);
  } catch (error) {
    return { outcome: "retryable", reason: `storage failed: ${(error as Error).message}` };
  }
}
