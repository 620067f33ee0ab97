/** The reply of the RPCs that return a signing secret. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { SigningSecrets } from "../webhook/signing-secrets.ts";

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
