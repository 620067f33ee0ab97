/** Reads a picture from the service's own storage, when its URL is one of a stored file. */
import { assetKeyOf } from "#vocabulary/asset-url.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { assetTokenOf } from "../domain/asset-key.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { findByTokens } from "../store/asset-tokens.ts";
import {
  PICTURE_LIMITS,
  pictureOf,
  type FetchPicture,
  type PictureResult,
} from "./fetch-picture.ts";

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
