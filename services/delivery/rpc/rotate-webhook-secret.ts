/** RotateWebhookSecret: creates a new signing secret; the older ones also sign for another day. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { rotateSecret } from "../webhook/rotate-secret.ts";
import { webhookSecretReply } from "./webhook-secret.ts";

/** What is stored for an operator instead of a user's id. */
const OPERATOR = "operator";

export function rotateWebhookSecret(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["rotateWebhookSecret"] {
  return async ({ accountId, mode, replacesVersion: replaces, userId }) => {
    const by = userId || OPERATOR;
    const owner = { accountId, mode: modeName(mode) };
    return webhookSecretReply(await rotateSecret(deps, owner, { replaces, by }));
  };
}
