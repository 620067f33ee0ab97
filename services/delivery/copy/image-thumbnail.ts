/** Makes the thumbnail of a stored image when it is first asked for, so that no create waits for a decode. */
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { LRUCache } from "lru-cache";
import type { Log } from "#runtime/log.ts";
import { randomToken } from "#runtime/id.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { assetTokenOf, imageThumbnailKey } from "../domain/asset-key.ts";
import type { MediaDecoder } from "../media/decoder.ts";
import { inFolder } from "../storage/in-folder.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import { findByTokens } from "../store/asset-tokens.ts";
import type { AssetId } from "../store/assets.ts";
import { storeThumbnail } from "./store-thumbnail.ts";

export type ThumbnailDeps = {
  sql: Sql;
  log: Log;
  store: ObjectStore;
  decoder: Pick<MediaDecoder, "imageThumbnail">;
  /** The folder for temporary files. */
  directory: string;
};

/**
 * Stores the object of `key` if that is the thumbnail of a stored image. False if it is not, the image cannot be decoded,
 * or too many wait. Rejects if the database or storage fails.
 */
export type MakeThumbnail = (key: string) => Promise<boolean>;

/** Images are decoded one after the other: this many take some seconds. */
const MAX_WAITING = 64;
/** An image that could not be decoded is not tried again for a while. */
const FAILED = { max: 10_000, ttl: 10 * 60_000 };

export function thumbnailMaker(deps: ThumbnailDeps): MakeThumbnail {
  const running = new Map<string, Promise<boolean>>();
  const failed = new LRUCache<string, true>(FAILED);
  const make = async (token: string, key: string): Promise<boolean> => {
    const image = await findImage(deps.sql, token, key);
    if (!image) return false;
    const isMade = await makeThumbnail(deps, image, key);
    if (!isMade) failed.set(key, true);
    return isMade;
  };
  return async (key) => {
    const joined = running.get(key);
    if (joined) return joined;
    const token = assetTokenOf(key);
    if (token === undefined || key !== imageThumbnailKey(token)) return false;
    if (failed.has(key) || running.size >= MAX_WAITING) return false;
    const started = make(token, key).finally(() => running.delete(key));
    running.set(key, started);
    return started;
  };
}

type StoredImage = AssetId & { token: string; key: string };

async function findImage(
  sql: Sql,
  token: string,
  thumbnailKey: string,
): Promise<StoredImage | undefined> {
  const [row] = await findByTokens(sql, [token]);
  if (!row?.isStored || row.isDeleted || row.thumbnailKey !== thumbnailKey) return undefined;
  return row.key === null ? undefined : { ...row, key: row.key };
}

async function makeThumbnail(
  deps: ThumbnailDeps,
  image: StoredImage,
  thumbnailKey: string,
): Promise<boolean> {
  const { log, store, decoder, directory } = deps;
  const path = join(directory, `${randomToken()}.part`);
  try {
    await using file = await inFolder(directory, () => open(path, "wx"));
    const found = await store.get(image.key);
    if (!found) return false;
    await pipeline(found.stream, file.createWriteStream());
    const picture = await decoder.imageThumbnail(path);
    if (!picture) {
      log.warn({ generation_id: image.generationId }, "no thumbnail of an image made");
      return false;
    }
    return await storeThumbnail(deps, image, thumbnailKey, picture);
  } finally {
    await rm(path, { force: true });
  }
}
