/** RotateWebhookSecret: creates a new signing secret; the older ones also sign for another day. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { rotateSecret } from "../webhook/rotate-secret.ts";
import { webhookSecretReply } from "./webhook-secret.ts";

export function rotateWebhookSecret(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["rotateWebhookSecret"] {
  return async ({ accountId, mode, replacesVersion }) =>
    webhookSecretReply(
      await rotateSecret(deps, { accountId, mode: modeName(mode) }, replacesVersion),
    );
}
