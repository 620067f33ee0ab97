/** GetWebhookSecret: what a receiver verifies this account's webhooks with. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { signingSecrets } from "../webhook/signing-secrets.ts";
import { shownSecret } from "./webhook-secret.ts";

export function getWebhookSecret(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["getWebhookSecret"] {
  return async (request) => {
    const owner = { accountId: request.accountId, mode: modeName(request.mode) };
    return shownSecret(await signingSecrets(deps, owner));
  };
}
