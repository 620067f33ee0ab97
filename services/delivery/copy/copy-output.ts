/** Copies one result of an upstream to storage: fetch, inspect, upload, thumbnail, record. */
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import type { LimitFunction } from "p-limit";
import type { Clock } from "#runtime/clock.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { FetchDeps, FetchedFile, Source } from "../download/fetch-source.ts";
import { fetchSource } from "../download/fetch-source.ts";
import type { MediaInfo } from "../media/inspect.ts";
import { inspectMedia } from "../media/inspect.ts";
import { MediaError } from "../media/media-error.ts";
import type { Thumbnailer } from "../media/thumbnail.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { extensionFor } from "../storage/object-store.ts";
import type { AssetId } from "../store/assets.ts";
import { findReservedToken, recordAssetIfReserved } from "../store/assets.ts";

export type CopyDeps = {
  sql: Sql;
  clock: Clock;
  store: ObjectStore;
  thumbnailer: Thumbnailer;
  fetch: FetchDeps;
  /** Limits how many copies run at once. */
  limit: LimitFunction;
};

export type Copy = { id: AssetId; kind: "video" | "image"; source: Source };

export type CopyResult =
  | { outcome: "stored" }
  /** The upstream's temporary file has expired; a retry cannot succeed. */
  | { outcome: "gone"; statusCode: number }
  /** A retry may succeed. `reason` is for the log. */
  | { outcome: "retryable"; reason: string };

export type CopyOutput = (copy: Copy) => Promise<CopyResult>;

/** The output was discarded meanwhile. */
const RESERVATION_LOST: CopyResult = { outcome: "retryable", reason: "reservation lost" };
const COPY_DEADLINE_MS = 5 * 60_000;
const MAX_BYTES = 1024 * 1024 * 1024;

/**
 * A copy that is requested again while it runs is joined, not repeated. Rejects if our own disk, storage or database
 * fails; a retry may succeed then, too.
 */
export function outputCopier(deps: CopyDeps): CopyOutput {
  const running = new Map<string, Promise<CopyResult>>();
  return (copy) => {
    const { accountId, generationId, position } = copy.id;
    const name = `${accountId}/${generationId}/${position}`;
    const joined = running.get(name);
    if (joined) return joined;
    const started = deps.limit(() => copyOutput(deps, copy)).finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };
}

async function copyOutput(deps: CopyDeps, { id, kind, source }: Copy): Promise<CopyResult> {
  const limits = { maxBytes: MAX_BYTES, deadlineMs: COPY_DEADLINE_MS };
  const fetched = await fetchSource(deps.fetch, source, limits);
  if (fetched.outcome !== "ok") return fetched;
  await using file = fetched;
  const info = await inspectOrFault(file.path);
  if (info instanceof MediaError) return { outcome: "retryable", reason: info.fault };
  if (!info.contentType.startsWith(`${kind}/`)) {
    return { outcome: "retryable", reason: `${info.contentType} instead of ${kind}` };
  }
  // Reserved before the copy, so that a retry after a crash writes the same object and not a second one.
  const token = await findReservedToken(deps.sql, id);
  if (token === undefined) return RESERVATION_LOST;
  const objects = await upload(deps, token, file, info);
  const isRecorded = await recordAssetIfReserved(deps.sql, {
    ...id,
    ...objects,
    token,
    contentType: info.contentType,
    width: info.width,
    height: info.height,
    durationSeconds: info.durationSeconds ?? null,
    bytes: file.bytes,
    sha256: file.sha256,
    at: deps.clock.now(),
  });
  if (isRecorded) return { outcome: "stored" };
  await deps.store.delete(objects.key);
  if (objects.thumbnailKey !== null) await deps.store.delete(objects.thumbnailKey);
  return RESERVATION_LOST;
}

type Uploaded = { key: string; thumbnailKey: string | null; thumbnailBytes: number | null };

async function upload(
  { store, thumbnailer }: CopyDeps,
  token: string,
  { path, bytes }: FetchedFile,
  { contentType }: MediaInfo,
): Promise<Uploaded> {
  const key = `${token}.${extensionFor(contentType)}`;
  await store.put(key, createReadStream(path), { contentType, bytes });
  const picture = contentType.startsWith("video/") ? await thumbnailer.thumbnail(path) : undefined;
  if (picture === undefined) return { key, thumbnailKey: null, thumbnailBytes: null };
  const thumbnailKey = `${token}.jpg`;
  const meta = { contentType: "image/jpeg", bytes: picture.byteLength };
  await store.put(thumbnailKey, Readable.from([picture]), meta);
  return { key, thumbnailKey, thumbnailBytes: picture.byteLength };
}

async function inspectOrFault(path: string): Promise<MediaInfo | MediaError> {
  try {
    return await inspectMedia(path);
  } catch (error) {
    if (error instanceof MediaError) return error;
    throw error;
  }
}
