/** DeleteAssets: marks outputs for deletion, by generation or by age; their objects are deleted within seconds. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Deps } from "../deps.ts";
import { isGenerationId } from "#runtime/id.ts";
import { markAllOlderForDeletion } from "../maintenance/expire.ts";
import { markGenerationForDeletion } from "../store/asset-deletions.ts";

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
      const marked = { accountId, generationId, at: deps.clock.now() };
      return { deleted: await markGenerationForDeletion(deps.sql, marked) };
    }
    const before = storedBefore ? timestampDate(storedBefore) : deps.clock.now();
    return {
      deleted: await markAllOlderForDeletion(deps, { accountId, storedBefore: before }, signal),
    };
  };
}
