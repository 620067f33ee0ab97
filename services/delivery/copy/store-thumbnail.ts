/** Stores a thumbnail and records it with its output. */
import { Readable } from "node:stream";
import type { Sql } from "#runtime/postgres/connect.ts";
import { contentTypeOf, type ObjectStore } from "../storage/object-store.ts";
import { recordThumbnailIfStored, type AssetId } from "../store/assets.ts";

/** False if the output is to be deleted: then nothing is stored. Rejects if the database or storage fails. */
export async function storeThumbnail(
  { sql, store }: { sql: Sql; store: ObjectStore },
  asset: AssetId & { token: string },
  thumbnailKey: string,
  picture: Uint8Array,
): Promise<boolean> {
  const thumbnailBytes = picture.byteLength;
  const meta = { contentType: contentTypeOf(thumbnailKey), bytes: thumbnailBytes };
  await store.put(thumbnailKey, Readable.from([picture]), meta);
  if (await recordThumbnailIfStored(sql, { ...asset, thumbnailKey, thumbnailBytes })) return true;
  await store.delete(thumbnailKey);
  return false;
}
