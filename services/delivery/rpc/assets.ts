/** The RPCs of operators on assets. */
import { timestampFromDate, timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "./deps.ts";
import { toStorage } from "../domain/storage-limit.ts";
import { sumUsage, setRetention as storeRetention } from "../store/asset-retention.ts";
import { findStorage } from "../store/storage-limit.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { isGenerationId } from "#runtime/id.ts";
import { markAllOlderForDeletion } from "../maintenance/expire.ts";
import { markOwnedForDeletion } from "../store/asset-deletions.ts";

export function getUsage(deps: Deps): ServiceImpl<typeof DeliveryService>["getUsage"] {
  return async ({ accountId }) => {
    const sums = await sumUsage(deps.sql, accountId);
    const { oldestKeptAt: oldest, days } = sums;
    const storage = await Promise.all(
      (["live", "test"] as const).map((mode) => findStorage(deps.sql, { accountId, mode })),
    );
    return {
      kept: { outputs: sums.keptOutputs, bytes: sums.keptBytes },
      deleted: { outputs: sums.deletedOutputs, bytes: sums.deletedBytes },
      ...(oldest === null ? {} : { oldestKeptAt: timestampFromDate(oldest) }),
      ...(days === null ? {} : { retentionDays: days }),
      storage: storage.map(toStorage),
    };
  };
}

export function deleteAssets(deps: Deps): ServiceImpl<typeof DeliveryService>["deleteAssets"] {
  return async ({ accountId, generationId, storedBefore }, { signal }) => {
    if ((generationId === undefined) === (storedBefore === undefined)) {
      throw refusal({
        reason: ErrorReason.INVALID_FIELD,
        field: "generation_id",
        message: "name either generation_id or stored_before",
      });
    }
    if (generationId !== undefined) {
      if (!isGenerationId(generationId)) return { deleted: {} };
      const marked = { accountId, ownerId: generationId, at: deps.clock.now() };
      return { deleted: await markOwnedForDeletion(deps.sql, marked) };
    }
    const before = storedBefore ? timestampDate(storedBefore) : deps.clock.now();
    return {
      deleted: await markAllOlderForDeletion(deps, { accountId, storedBefore: before }, signal),
    };
  };
}

export function setRetention(deps: Deps): ServiceImpl<typeof DeliveryService>["setRetention"] {
  return async ({ accountId, days = null }) => {
    await storeRetention(deps.sql, accountId, days);
    return {};
  };
}
