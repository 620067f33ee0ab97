/** CreateFile: stores a picture that a client sent. */
import { createHash } from "node:crypto";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { randomToken } from "#runtime/id.ts";
import { modeName } from "#vocabulary/names.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { PICTURE_LIMITS } from "../download/fetch.ts";
import type { FileRow } from "../domain/file.ts";
import { inspectPicture, type PictureInfo } from "../media/inspect.ts";
import { EXTENSIONS } from "../storage/object-store.ts";
import { recordAssetsIfReserved } from "../store/assets.ts";
import {
  countUnusedFiles,
  findFile,
  insertFile,
  lockFile,
  lockNewFiles,
  renewFileIfUnstored,
  type FileId,
} from "../store/files.ts";
import { findStorage } from "../store/account-storage.ts";
import { fileDeleted } from "./files.ts";
import { requireStorage } from "./assets.ts";

/** The limit of an account in a mode; at 20 MB a file it is 10 GB. */
const MAX_UNUSED_FILES = 500;

/** The row comes first, then the object, then its record: after a failure the next call goes on with that object. */
export function createFile(deps: Deps): Rpcs["createFile"] {
  return async ({ accountId, mode, fileId, content }) => {
    const picture = await inspectPicture(content, PICTURE_LIMITS.maxPixels);
    if ("fault" in picture) {
      throw refusal({
        reason: ErrorReason.UNREADABLE_FILE,
        field: "file",
        message:
          "The file is not a whole PNG, JPEG or WebP picture of at most 64 million pixels, 16,384 a side. Send one that is.",
      });
    }
    const id = { accountId, mode: modeName(mode), id: fileId };
    const sha256 = createHash("sha256").update(content).digest("hex");
    const bytes = content.byteLength;
    const { token, before } = await reserve(deps, id, { sha256, bytes });
    if (before?.isDeleted) throw fileDeleted();
    if (before && before.sha256 !== sha256) {
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: "file",
        message:
          "This Idempotency-Key was used before with another file. Use a new one for a new file.",
      });
    }
    if (before && before.key !== null) return { file: fieldsOf(before), replayed: true };
    await store(deps, id, { token, sha256 }, content, picture);
    const stored = await findFile(deps.sql, id);
    if (stored?.isDeleted) throw fileDeleted();
    if (!stored?.key) {
      throw refusal({
        reason: ErrorReason.UNAVAILABLE,
        message: "The file could not be stored now. Send it again.",
      });
    }
    return { file: fieldsOf(stored), replayed: before !== undefined };
  };
}

/** A token for the file's object, and its row if an earlier call has made one. */
async function reserve(
  { sql, clock }: Deps,
  id: FileId,
  { sha256, bytes }: { sha256: string; bytes: number },
): Promise<{ token: string; before?: FileRow }> {
  const at = clock.now();
  return sql.begin(async (tx) => {
    await lockNewFiles(tx, id);
    const before = await findFile(tx, id);
    if (before) {
      if (before.key === null) await renewFileIfUnstored(tx, id, at);
      return { token: before.token, before };
    }
    const unused = await countUnusedFiles(tx, id, { at, limit: MAX_UNUSED_FILES });
    if (unused >= MAX_UNUSED_FILES) {
      throw refusal({
        reason: ErrorReason.TOO_MANY_FILES,
        message: `The account has ${MAX_UNUSED_FILES} files that no generation uses. Delete some of GET /v1/files, or wait until they expire.`,
        metadata: { limit: `${MAX_UNUSED_FILES}` },
      });
    }
    requireStorage(await findStorage(tx, id), bytes);
    const token = randomToken();
    await insertFile(tx, id, { sha256, token, at });
    return { token };
  });
}

async function store(
  { sql, clock, store: objects }: Deps,
  id: FileId,
  { token, sha256 }: Pick<FileRow, "token" | "sha256">,
  content: Uint8Array,
  picture: PictureInfo,
): Promise<void> {
  const key = `${token}.${EXTENSIONS[picture.contentType]}`;
  const bytes = content.byteLength;
  await objects.put(key, [content]);
  const { contentType, width, height } = picture;
  const asset = {
    contentType,
    width,
    height,
    bytes,
    token,
    key,
    thumbnailKey: null,
    durationSeconds: null,
    sha256,
    provenance: null,
    storedAt: clock.now(),
  };
  const isStored = await sql.begin(async (tx) => {
    await lockFile(tx, id);
    // A repeated call has recorded it at the same time, and it may have been deleted since.
    const known = await findFile(tx, id);
    if (known?.key) return !known.isDeleted;
    const [recorded] = await recordAssetsIfReserved(tx, [asset]);
    if (!recorded) return false;
    // The count includes this file, and its row is locked, so concurrent files cannot pass the limit together.
    const { usedBytes, ...limit } = await findStorage(tx, id);
    requireStorage({ ...limit, usedBytes: usedBytes - BigInt(bytes) }, bytes);
    return true;
  });
  if (!isStored) await objects.delete(key);
}
