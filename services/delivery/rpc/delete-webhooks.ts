/** DeleteWebhooks: deletes the webhooks and files of generations whose content is no longer kept. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { Deps } from "./deps.ts";
import { releaseFiles } from "../store/files.ts";
import { deleteWebhooks as deleteOf } from "../store/webhook-deliveries.ts";

export function deleteWebhooks(deps: Deps): ServiceImpl<typeof DeliveryService>["deleteWebhooks"] {
  return async ({ accountId, generationIds }) => {
    const at = deps.clock.now();
    for (const generationId of generationIds) {
      await deleteOf(deps.sql, { accountId, generationId, at });
      await releaseFiles(deps.sql, { accountId, generationId }, at);
    }
    return {};
  };
}
