/** GetWebhookSecret: the secret with which receivers verify an account's webhooks. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { signingSecrets } from "../webhook/signing-secrets.ts";
import { webhookSecretReply } from "./webhook-secret.ts";

export function getWebhookSecret(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["getWebhookSecret"] {
  return async (request) => {
    const owner = { accountId: request.accountId, mode: modeName(request.mode) };
    return webhookSecretReply(await signingSecrets(deps, owner));
  };
}
