/** Refuses what an account has no room for. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { storageLimitOf, type StorageRow } from "../domain/storage.ts";

/** Throws STORAGE_LIMIT_REACHED if there is no room for a file of that size, or without a file for anything. */
export function requireRoom(storage: StorageRow, fileBytes?: number): void {
  const { mode, usedBytes: used } = storage;
  const limit = storageLimitOf(storage);
  if (limit === undefined || used + BigInt(fileBytes ?? 1) <= limit) return;
  const who = fileBytes === undefined ? "The" : `The file has ${fileBytes} bytes, and the`;
  throw refusal({
    reason: ErrorReason.STORAGE_LIMIT_REACHED,
    message: `${who} account keeps ${used} of ${limit} bytes in ${mode} mode. Delete generations or files that you do not need.`,
    metadata: { limit: `${limit}`, used: `${used}` },
  });
}
