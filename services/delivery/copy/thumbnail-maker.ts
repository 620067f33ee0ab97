/** Makes the thumbnail of a stored image when it is first asked for, so that no create waits for a decode. */
import { buffer } from "node:stream/consumers";
import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { MadeObject } from "../asset-server/asset-server.ts";
import { assetTokenOf, imageThumbnailKey } from "../domain/file.ts";
import type { MediaDecoder } from "../media/decoder.ts";
import { findByTokens, recordThumbnailIfStored, type TokenRow } from "../store/assets.ts";
import { inMemory, inspectPicture } from "../media/inspect.ts";
import { edited, markedBy, type ProvenanceSetting } from "../media/provenance.ts";
import { MAX_READ_BYTES } from "../media/confinement.ts";
import { readWhole, type ObjectStore } from "../storage/object-store.ts";

export type ThumbnailDeps = StoreThumbnailDeps & {
  log: Log;
  decoder: Pick<MediaDecoder, "imageThumbnail">;
};

/** Images are decoded one after the other: this many take some seconds. */
const MAX_WAITING = 64;
/** The next one is read while one is decoded. */
const MAX_IN_MEMORY = 2;
/** After so many tries an image is refused: one that hangs the decoder must not keep it from the others. */
const MAX_TRIES = 3;
/** How long tries are remembered. */
const TRIED = { max: 10_000, ttl: 10 * 60_000 };

/**
 * Stores the object of a key if that is the thumbnail of a stored image; says of other keys whether their objects were
 * deleted. `later`: too many wait, or the decode did not end. Rejects if the database or storage fails.
 */
export function thumbnailMaker(deps: ThumbnailDeps): (key: string) => Promise<MadeObject> {
  const running = new Map<string, Promise<MadeObject>>();
  /** Tries in vain, by key; MAX_TRIES at once for an image that cannot be decoded. */
  const tried = new LRUCache<string, number>(TRIED);
  const limit = pLimit(MAX_IN_MEMORY);
  const make = async (image: TokenRow, key: string): Promise<MadeObject> => {
    const picture = await limit(pictureOf, deps, image);
    const isMade = typeof picture !== "string";
    if (isMade && (await storeThumbnail(deps, image.token, key, picture))) return "stored";
    const tries = picture === "unfinished" ? (tried.get(key) ?? 0) + 1 : MAX_TRIES;
    tried.set(key, tries);
    return tries < MAX_TRIES ? "later" : "absent";
  };
  const find = async (key: string): Promise<MadeObject> => {
    const token = assetTokenOf(key);
    if (token === undefined) return "absent";
    const [row] = await findByTokens(deps.sql, [token]);
    if (row?.isDeleted) return "deleted";
    const isMissing = row?.thumbnailKey === key && key === imageThumbnailKey(token);
    if (!row?.isStored || !isMissing) return "absent";
    if ((tried.get(key) ?? 0) >= MAX_TRIES) return "absent";
    if (limit.activeCount + limit.pendingCount >= MAX_WAITING) return "later";
    return make(row, key);
  };
  return (key) => {
    const joined = running.get(key) ?? find(key).finally(() => running.delete(key));
    running.set(key, joined);
    return joined;
  };
}

/** Logs why there is none, unless the image is gone. */
async function pictureOf({ log, store, decoder }: ThumbnailDeps, { key, ownerId }: TokenRow) {
  const content = key ? await readWhole(store, key, MAX_READ_BYTES) : "absent";
  if (content === "absent") return content;
  const isRead = typeof content !== "string";
  const picture = isRead ? await decoder.imageThumbnail(inMemory(content)) : content;
  if (typeof picture === "string")
    log.warn({ generation_id: ownerId }, `no thumbnail of an image: ${picture}`);
  return picture;
}

export type StoreThumbnailDeps = { sql: Sql; store: ObjectStore; provenance: ProvenanceSetting };

/** False if the output is to be deleted: then nothing is stored. Rejects if the database or storage fails. */
export async function storeThumbnail(
  { sql, store, provenance }: StoreThumbnailDeps,
  token: string,
  key: string,
  picture: Uint8Array,
): Promise<boolean> {
  // Whatever mark the output has, its thumbnail has none yet.
  const info = await inspectPicture(picture);
  const edits = "fault" in info ? [] : markedBy(provenance, info.marks).edits;
  const content = await buffer(edited(inMemory(picture), edits));
  await store.put(key, [content]);
  if (await recordThumbnailIfStored(sql, token, { key, bytes: content.byteLength })) return true;
  await store.delete(key);
  return false;
}
