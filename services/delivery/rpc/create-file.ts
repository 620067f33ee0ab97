/** CreateFile: stores a picture that a client sent. */
import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { modeName } from "#runtime/mode.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { PICTURE_LIMITS } from "../download/fetch-picture.ts";
import { toFile, UNUSED_FILE_MS } from "../domain/file.ts";
import type { FileRow } from "../domain/file.ts";
import { inspectPicture } from "../media/picture.ts";
import type { PictureInfo } from "../media/picture.ts";
import { extensionFor } from "../storage/object-store.ts";
import { recordAssetIfReserved, reserveAssets } from "../store/assets.ts";
import {
  countUnusedFiles,
  findFile,
  insertFile,
  lockNewFiles,
  renewFileIfUnstored,
} from "../store/files.ts";
import type { FileId } from "../store/files.ts";
import { fileDeleted } from "./file-refusals.ts";

/** Of an account and mode: 10 GB at most. */
const MAX_UNUSED_FILES = 500;

/** The row comes first, then the object, then its record: after a failure a repeated call goes on with the same object. */
export function createFile(deps: Deps): ServiceImpl<typeof DeliveryService>["createFile"] {
  return async ({ accountId, mode, fileId, content: sent }) => {
    const content = Buffer.from(sent.buffer, sent.byteOffset, sent.byteLength);
    const picture = await inspectPicture(content, PICTURE_LIMITS.maxPixels);
    if ("fault" in picture) throw unreadable();
    const id = { accountId, mode: modeName(mode), id: fileId };
    const sha256 = createHash("sha256").update(content).digest("hex");
    const { file: reserved, isNew } = await reserve(deps, id, sha256);
    if (reserved.sha256 !== sha256) throw contentDiffers();
    if (reserved.isDeleted) throw fileDeleted();
    if (reserved.key !== null) return { file: toFile(reserved), replayed: true };
    await store(deps, id, reserved, content, picture);
    const stored = await findFile(deps.sql, id);
    if (!stored?.key) throw unavailable();
    return { file: toFile(stored), replayed: !isNew };
  };
}

/** The file's row, with a token for its object. */
async function reserve(
  { sql, clock }: Deps,
  id: FileId,
  sha256: string,
): Promise<{ file: FileRow; isNew: boolean }> {
  const at = clock.now();
  return sql.begin(async (tx) => {
    await lockNewFiles(tx, id);
    const before = await findFile(tx, id);
    if (before) {
      if (before.key === null) await renewFileIfUnstored(tx, id, at);
      return { file: before, isNew: false };
    }
    const unused = await countUnusedFiles(tx, id, { at, limit: MAX_UNUSED_FILES });
    if (unused >= MAX_UNUSED_FILES) throw tooMany();
    await insertFile(tx, id, { sha256, at });
    const asset = { accountId: id.accountId, generationId: id.id };
    const times = { at, copyingUntil: at, expiresAt: addMs(at, UNUSED_FILE_MS) };
    await reserveAssets(tx, asset, [randomToken()], times);
    const made = await findFile(tx, id);
    if (!made) throw new Error("a file that was inserted is not there");
    return { file: made, isNew: true };
  });
}

async function store(
  { sql, clock, store: objects }: Deps,
  { accountId, id }: FileId,
  { token, sha256 }: FileRow,
  content: Buffer,
  { contentType, width, height }: PictureInfo,
): Promise<void> {
  const key = `${token}.${extensionFor(contentType)}`;
  const bytes = content.byteLength;
  await objects.put(key, Readable.from([content]), { contentType, bytes });
  const recorded = await recordAssetIfReserved(sql, {
    accountId,
    generationId: id,
    position: 0,
    token,
    key,
    thumbnailKey: null,
    contentType,
    width,
    height,
    durationSeconds: null,
    bytes,
    sha256,
    at: clock.now(),
  });
  if (recorded) return;
  await objects.delete(key);
  throw unavailable();
}

function unreadable(): Error {
  return refusal({
    reason: ErrorReason.UNREADABLE_FILE,
    field: "file",
    message:
      "The file is not a whole PNG, JPEG or WebP picture of at most 64 million pixels. Send one that is.",
  });
}

function contentDiffers(): Error {
  return refusal({
    reason: ErrorReason.CONTENT_DIFFERS,
    field: "file",
    message: "This key was used before with another file. Use a new key for a new file.",
  });
}

function tooMany(): Error {
  return refusal({
    reason: ErrorReason.TOO_MANY_FILES,
    message: `The account has ${MAX_UNUSED_FILES} files that no generation uses. Delete some, or wait until they expire.`,
    metadata: { limit: `${MAX_UNUSED_FILES}` },
  });
}

function unavailable(): Error {
  return refusal({
    reason: ErrorReason.UNAVAILABLE,
    message: "The file could not be stored now. Send it again.",
  });
}
