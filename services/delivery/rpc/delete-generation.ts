/** DeleteGeneration: deletes the outputs, files and webhooks of a generation that its account deleted. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { discardOutputs } from "../copy/discard-outputs.ts";
import type { Deps } from "./deps.ts";
import { releaseFiles } from "../store/files.ts";
import { deleteWebhooks } from "../store/webhook-deliveries.ts";

/** Each statement is whole in itself: after a failure the call is repeated. */
export function deleteGeneration(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["deleteGeneration"] {
  return async ({ accountId, generationId }) => {
    const at = deps.clock.now();
    await deleteWebhooks(deps.sql, { accountId, generationId, at });
    await discardOutputs(deps, { accountId, generationId, at });
    await releaseFiles(deps.sql, { accountId, generationId }, at);
    deps.wakeDeletion();
    return {};
  };
}
