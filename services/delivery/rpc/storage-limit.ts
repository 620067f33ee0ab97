/** What an account may keep in a mode: the check before something is stored, and the RPC that sets the limit. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { storageLimitOf, type StorageRow, toStorage } from "../domain/storage-limit.ts";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { setStorageLimit as storeLimit } from "../store/storage-limit.ts";

/** Throws STORAGE_LIMIT_REACHED if there is no room for a file of that size, or without a file for anything. */
export function requireRoom(storage: StorageRow, fileBytes?: number): void {
  const { mode, usedBytes: used } = storage;
  const limit = storageLimitOf(storage);
  if (limit === undefined || used + BigInt(fileBytes ?? 1) <= limit) return;
  const who = fileBytes === undefined ? "The" : `The file has ${fileBytes} bytes, and the`;
  throw refusal({
    reason: ErrorReason.STORAGE_LIMIT_REACHED,
    message: `${who} account keeps ${used} of ${limit} bytes in ${mode} mode. Delete generations or files (GET /v1/files) that you do not need.`,
    metadata: { limit: `${limit}`, used: `${used}` },
  });
}

export function setStorageLimit({
  sql,
}: Deps): ServiceImpl<typeof DeliveryService>["setStorageLimit"] {
  return async ({ accountId, mode, limitBytes = null }) => {
    const storage = await storeLimit(sql, { accountId, mode: modeName(mode) }, limitBytes);
    return { storage: toStorage(storage) };
  };
}
