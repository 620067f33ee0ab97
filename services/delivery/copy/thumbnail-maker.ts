/** Makes the thumbnail of a stored image when it is first asked for, so that no create waits for a decode. */
import { LRUCache } from "lru-cache";
import { Readable } from "node:stream";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import { assetTokenOf, imageThumbnailKey } from "../domain/file.ts";
import type { MediaDecoder } from "../media/decoder.ts";
import { temporaryFile } from "../storage/filesystem.ts";
import {
  findByTokens,
  recordThumbnailIfStored,
  type AssetId,
  type TokenRow,
} from "../store/assets.ts";
import { inspectPicture } from "../media/inspect.ts";
import { editedContent, markedBy, type ProvenanceSetting } from "../media/provenance.ts";
import type { ObjectStore } from "../storage/object-store.ts";

export type ThumbnailDeps = StoreThumbnailDeps & {
  log: Log;
  decoder: Pick<MediaDecoder, "imageThumbnail">;
  /** The folder for temporary files. */
  directory: string;
};

/** `absent`: the key is no such thumbnail, or none can be made. `later`: too many wait, or the decode did not end. */
type MadeThumbnail = "stored" | "absent" | "later";

/** Images are decoded one after the other: this many take some seconds. */
const MAX_WAITING = 64;
/** What came of tries in vain, and for how long it is said again: an image that hangs the decoder must not keep it busy. */
const FAILED = { max: 10_000, ttl: 60_000 };

/** Stores the object of a key if that is the thumbnail of a stored image. Rejects if the database or storage fails. */
export function thumbnailMaker(deps: ThumbnailDeps): (key: string) => Promise<MadeThumbnail> {
  const running = new Map<string, Promise<MadeThumbnail>>();
  const failed = new LRUCache<string, MadeThumbnail>(FAILED);
  const make = async (token: string, key: string): Promise<MadeThumbnail> => {
    const [row] = await findByTokens(deps.sql, [token]);
    if (!row?.isStored || row.isDeleted || row.thumbnailKey !== key) return "absent";
    const made = await makeThumbnail(deps, row, key);
    if (made !== "stored") failed.set(key, made);
    return made;
  };
  return async (key) => {
    const known = running.get(key) ?? failed.get(key);
    if (known) return known;
    const token = assetTokenOf(key);
    if (token === undefined || key !== imageThumbnailKey(token)) return "absent";
    if (running.size >= MAX_WAITING) return "later";
    const made = make(token, key).finally(() => running.delete(key));
    running.set(key, made);
    return made;
  };
}

async function makeThumbnail(
  deps: ThumbnailDeps,
  image: TokenRow,
  thumbnailKey: string,
): Promise<MadeThumbnail> {
  const { log, store, decoder, directory } = deps;
  const found = image.key === null ? undefined : await store.get(image.key);
  if (!found) return "absent";
  await using file = temporaryFile(directory);
  await file.write(found.stream);
  const picture = await decoder.imageThumbnail(file.path);
  if (typeof picture === "string") {
    log.warn({ generation_id: image.ownerId }, `no thumbnail of an image made: ${picture}`);
    return picture === "unfinished" ? "later" : "absent";
  }
  return (await storeThumbnail(deps, image, thumbnailKey, picture)) ? "stored" : "absent";
}

export type StoreThumbnailDeps = { sql: Sql; store: ObjectStore; provenance: ProvenanceSetting };

/** False if the output is to be deleted: then nothing is stored. Rejects if the database or storage fails. */
export async function storeThumbnail(
  { sql, store, provenance }: StoreThumbnailDeps,
  asset: AssetId & { token: string },
  thumbnailKey: string,
  picture: Uint8Array,
): Promise<boolean> {
  const marked = await withMark(provenance, picture);
  const { bytes: thumbnailBytes } = await store.put(thumbnailKey, Readable.from([marked]));
  if (await recordThumbnailIfStored(sql, { ...asset, thumbnailKey, thumbnailBytes })) return true;
  await store.delete(thumbnailKey);
  return false;
}

/** Made anew, it has lost whatever mark its output has. */
async function withMark(setting: ProvenanceSetting, picture: Uint8Array): Promise<Uint8Array> {
  const info = await inspectPicture(picture);
  return "fault" in info ? picture : editedContent(picture, markedBy(setting, info.marks).edits);
}
