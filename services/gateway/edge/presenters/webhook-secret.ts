/** Presents a webhook secret, who rotated it and when, and until when the previous one stays valid. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { GetWebhookSecretResponse } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { ModeName } from "#vocabulary/mode.ts";
import { publicTime } from "#vocabulary/public-time.ts";
import { required } from "./required.ts";
import { presentCreator } from "./account.ts";

type Secret = Pick<
  GetWebhookSecretResponse,
  "secret" | "olderValidUntil" | "createdBy" | "createdAt"
>;

export function presentWebhookSecret(
  mode: ModeName,
  { secret, olderValidUntil: until, createdBy, createdAt }: Secret,
  creatorName: string | null,
): components["schemas"]["WebhookSecret"] {
  return {
    object: "webhook.secret",
    mode,
    secret,
    ...(createdBy === "" ? {} : { created_by: presentCreator({ createdBy, creatorName }) }),
    created_at: publicTime(required(createdAt)),
    ...(until ? { previous_expires_at: publicTime(until) } : {}),
  };
}
