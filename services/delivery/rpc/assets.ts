/** The RPCs of operators on assets. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { invalidField, refusal } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { isGenerationId } from "#runtime/id.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Deps, Rpcs } from "./deps.ts";
import { toStorage, storageLimitOf, type StorageRow } from "../domain/file.ts";
import {
  findStorage,
  setRetention as storeRetention,
  setStorageLimit as storeLimit,
  sumUsage,
} from "../store/account-storage.ts";
import { markAllOlderForDeletion } from "../maintenance/maintenance.ts";
import { markOwnedForDeletion } from "../store/asset-deletions.ts";

export const assetRpcs = (deps: Deps) =>
  ({
    async getUsage({ accountId }) {
      const sums = await sumUsage(deps.sql, accountId);
      const storage = await Promise.all(
        (["live", "test"] as const).map((mode) => findStorage(deps.sql, { accountId, mode })),
      );
      return {
        ...fieldsOf(sums),
        kept: { outputs: sums.keptOutputs, bytes: sums.keptBytes },
        deleted: { outputs: sums.deletedOutputs, bytes: sums.deletedBytes },
        storage: storage.map(toStorage),
      };
    },
    async deleteAssets({ accountId, generationId, storedBefore }, { signal }) {
      if ((generationId === undefined) === (storedBefore === undefined)) {
        throw invalidField("generation_id", "name either generation_id or stored_before");
      }
      if (storedBefore) {
        const older = { accountId, storedBefore: timestampDate(storedBefore) };
        return { deleted: await markAllOlderForDeletion(deps, older, signal) };
      }
      if (generationId === undefined || !isGenerationId(generationId)) return { deleted: {} };
      const marked = { accountId, ownerId: generationId, at: deps.clock.now() };
      return { deleted: await markOwnedForDeletion(deps.sql, marked) };
    },
    async setRetention({ accountId, days = null }) {
      await storeRetention(deps.sql, accountId, days);
      return {};
    },
    async setStorageLimit({ accountId, mode, limitBytes = null }) {
      const storage = await storeLimit(deps.sql, { accountId, mode: modeName(mode) }, limitBytes);
      return { storage: toStorage(storage) };
    },
  }) satisfies Partial<Rpcs>;

/** Throws STORAGE_LIMIT_REACHED if a file of that size, or without a size any file, would exceed the limit. */
export function requireStorage(storage: StorageRow, fileBytes?: number): void {
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
