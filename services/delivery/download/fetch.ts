/** Fetches the pictures that URLs of clients name. */
import { buffer } from "node:stream/consumers";
import pLimit from "p-limit";
import type { Dispatcher } from "undici";
import type { Sql } from "#runtime/postgres/connect.ts";
import { assetKeyOf } from "#vocabulary/public-values.ts";
import { assetTokenOf } from "../domain/file.ts";
import { download, unusable, type Fault } from "../egress/request.ts";
import { inspectPicture, type ImageType } from "../media/inspect.ts";
import { readWhole, type ObjectStore } from "../storage/object-store.ts";
import { findByTokens } from "../store/assets.ts";

export type PictureResult = { outcome: "ok"; content: Uint8Array; contentType: ImageType } | Fault;

export type FetchPicture = (url: string, signal: AbortSignal) => Promise<PictureResult>;

export type PictureDeps = {
  sql: Sql;
  store: ObjectStore;
  /** What the URLs of stored files begin with. */
  assetBaseUrl: string;
  /** Refuses plain HTTP and addresses that are not public. */
  agent: Dispatcher;
};

export const PICTURE_LIMITS = { maxBytes: 20_000_000, maxPixels: 64_000_000, deadlineMs: 20_000 };
/** Pictures from elsewhere that are held in memory at a time. */
const MAX_PICTURES = 16;

/**
 * The agent checks the URL, each redirect and their addresses. The service's own files come from storage: the internet,
 * and what it forbids, do not matter to them. The returned function never rejects.
 */
export function pictureFetcher(deps: PictureDeps, limits = PICTURE_LIMITS): FetchPicture {
  const { maxBytes, deadlineMs } = limits;
  const limit = pLimit(MAX_PICTURES);
  const fetchForeign = async (url: string, caller: AbortSignal): Promise<PictureResult> => {
    const signal = AbortSignal.any([AbortSignal.timeout(deadlineMs), caller]);
    const from = { guarded: deps.agent, maxBytes, signal };
    const fetched = await download(url, from, (chunks) => buffer(chunks));
    return fetched.outcome === "ok" ? pictureOf(fetched.value) : fetched;
  };
  return (url, signal) => {
    const key = assetKeyOf(url, deps.assetBaseUrl);
    return key === undefined ? limit(fetchForeign, url, signal) : readOwn(deps, key);
  };
}

async function readOwn({ sql, store }: PictureDeps, key: string): Promise<PictureResult> {
  try {
    const [row] = await findByTokens(sql, [assetTokenOf(key) ?? ""]);
    const isKept = row && !row.isDeleted;
    const content = isKept ? await readWhole(store, key, PICTURE_LIMITS.maxBytes) : "absent";
    if (content === "absent") return unusable("not stored");
    if (content === "too long") return unusable(`more than ${PICTURE_LIMITS.maxBytes} bytes`);
    return await pictureOf(content);
  } catch (error) {
    return { outcome: "retryable", reason: `storage failed: ${(error as Error).message}` };
  }
}

async function pictureOf(content: Buffer): Promise<PictureResult> {
  const info = await inspectPicture(content, PICTURE_LIMITS.maxPixels);
  if ("fault" in info) return unusable(info.fault);
  return { outcome: "ok", content, contentType: info.contentType };
}
