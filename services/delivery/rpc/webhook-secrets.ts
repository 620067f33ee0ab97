/** The RPCs on signing secrets. */
import { timestampFromDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { rotateSecret, signingSecrets, type SigningSecrets } from "../webhook/signing-secrets.ts";
import type { ServiceImpl } from "@connectrpc/connect";
import type { DeliveryService } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Deps } from "./deps.ts";

/** The reply of the RPCs that return a signing secret. */
export type WebhookSecretReply = {
  secret: string;
  version: number;
  createdAt: Timestamp;
  olderValidUntil?: Timestamp;
  createdBy: string;
};

/** Replies with the first of the valid secrets, and the time until which the older ones also sign. */
export function webhookSecretReply([newest, ...older]: SigningSecrets): WebhookSecretReply {
  const expiries = older.flatMap(({ expiresAt }) => (expiresAt ? [expiresAt.getTime()] : []));
  return {
    secret: newest.secret,
    version: newest.number,
    createdAt: timestampFromDate(newest.createdAt),
    createdBy: newest.createdBy ?? "",
    ...(expiries.length > 0
      ? { olderValidUntil: timestampFromDate(new Date(Math.max(...expiries))) }
      : {}),
  };
}

export function getWebhookSecret(
  deps: Deps,
): ServiceImpl<typeof DeliveryService>["getWebhookSecret"] {
  return async (request) => {
    const owner = { accountId: request.accountId, mode: modeName(request.mode) };
    return webhookSecretReply(await signingSecrets(deps, owner));
  };
}

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
