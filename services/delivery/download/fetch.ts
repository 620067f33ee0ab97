/** Fetches what URLs name: results of upstreams into files, pictures of clients into memory. */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Dispatcher } from "undici";
import type { UrlCheck } from "#runtime/address.ts";
import { randomToken } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { assetKeyOf } from "#vocabulary/public-values.ts";
import { assetTokenOf } from "../domain/file.ts";
import { download } from "../egress/request.ts";
import { inspectPicture, type ImageType } from "../media/inspect.ts";
import { inFolder } from "../storage/filesystem.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { findByTokens } from "../store/assets.ts";

export type FileSource = {
  url: string;
  /** The URL's origin is in our configuration, so its address is not checked. */
  configuredOrigin: boolean;
  /** Sent to the URL's own origin only, not to other origins that it redirects to. */
  headers?: Record<string, string>;
};

export type FetchDeps = {
  /** The agent for all other origins: see createGuardedAgent. */
  guarded: Dispatcher;
  /** The agent for configured origins. */
  direct: Dispatcher;
  /** The folder for temporary files; created if it does not exist. */
  directory: string;
};

export type FetchLimits = { maxBytes: number; deadlineMs: number };

/** A temporary file, removed when it is disposed of. */
export type FetchedFile = AsyncDisposable & { outcome: "ok"; path: string; isWhole: boolean };

export type FetchResult =
  | FetchedFile
  /** The upstream's temporary URL has expired. */
  | { outcome: "gone"; statusCode: number }
  /** A retry cannot succeed. */
  | { outcome: "refused"; reason: string }
  /** A retry may succeed. `reason` is for the log. */
  | { outcome: "retryable"; reason: string };

/** Rejects only if our own disk fails; faults of the upstream and the network are results. */
export async function fetchSource(
  { guarded, direct, directory }: FetchDeps,
  { url, configuredOrigin, headers = {} }: FileSource,
  { maxBytes, deadlineMs }: FetchLimits,
): Promise<FetchResult> {
  const path = join(directory, `${randomToken()}.part`);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rm(path, { force: true }));
  const signal = AbortSignal.timeout(deadlineMs);
  const agents = configuredOrigin ? { guarded, direct } : { guarded };
  const fetched = await download(url, { ...agents, headers, maxBytes, signal }, async (chunks) => {
    const file = await inFolder(directory, () => open(path, "wx"));
    await pipeline(chunks, file.createWriteStream());
  });
  if (fetched.outcome === "too_long") return { outcome: "refused", reason: fetched.reason };
  // Whatever it was: the next poll may bring another URL.
  if (fetched.outcome === "failed") return { outcome: "retryable", reason: fetched.reason };
  if (fetched.outcome === "gone") return fetched;
  const kept = stack.move();
  const { isWhole } = fetched;
  return { outcome: "ok", path, isWhole, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

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
