/** Stores a thumbnail and records it with its output. */
import { Readable } from "node:stream";
import type { Sql } from "#runtime/postgres/connect.ts";
import { inspectPicture } from "../media/inspect.ts";
import { editedContent, markedBy, type ProvenanceSetting } from "../media/provenance.ts";
import { contentTypeOf, type ObjectStore } from "../storage/object-store.ts";
import { recordThumbnailIfStored, type AssetId } from "../store/assets.ts";

export type StoreThumbnailDeps = { sql: Sql; store: ObjectStore; provenance: ProvenanceSetting };

/** False if the output is to be deleted: then nothing is stored. Rejects if the database or storage fails. */
export async function storeThumbnail(
  { sql, store, provenance }: StoreThumbnailDeps,
  asset: AssetId & { token: string },
  thumbnailKey: string,
  picture: Uint8Array,
): Promise<boolean> {
  const marked = await withMark(provenance, picture);
  const thumbnailBytes = marked.byteLength;
  const meta = { contentType: contentTypeOf(thumbnailKey), bytes: thumbnailBytes };
  await store.put(thumbnailKey, Readable.from([marked]), meta);
  if (await recordThumbnailIfStored(sql, { ...asset, thumbnailKey, thumbnailBytes })) return true;
  await store.delete(thumbnailKey);
  return false;
}

/** Made anew, it has lost whatever mark its output has. */
async function withMark(provenance: ProvenanceSetting, picture: Uint8Array): Promise<Buffer> {
  const content = Buffer.from(picture.buffer, picture.byteOffset, picture.byteLength);
  const info = await inspectPicture(content);
  return "fault" in info ? content : editedContent(content, markedBy(provenance, info.marks).edits);
}
