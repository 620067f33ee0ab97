/** The RPCs that delete what delivery keeps of generations. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { discardOutputs } from "../copy/discard-outputs.ts";
import type { Deps } from "./deps.ts";
import { releaseFiles } from "../store/files.ts";
import { deleteWebhooks as deleteWebhooksOf } from "../store/webhook-deliveries.ts";

/**
 * DeleteGeneration: deletes the outputs, files and webhooks of a generation that its account deleted. Each statement is
 * whole in itself: after a failure the call is repeated.
 */
export function deleteGeneration(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["deleteGeneration"] {
  return async ({ accountId, generationId }) => {
    const at = deps.clock.now();
    await deleteWebhooksOf(deps.sql, { accountId, generationId, at });
    await discardOutputs(deps, { accountId, generationId, at });
    await releaseFiles(deps.sql, { accountId, generationId }, at);
    deps.wakeDeletion();
    return {};
  };
}

export function deleteWebhooks(deps: Deps): ServiceImpl<typeof DeliveryService>["deleteWebhooks"] {
  return async ({ accountId, generationIds }) => {
    const at = deps.clock.now();
    for (const generationId of generationIds) {
      await deleteWebhooksOf(deps.sql, { accountId, generationId, at });
      await releaseFiles(deps.sql, { accountId, generationId }, at);
    }
    return {};
  };
}
