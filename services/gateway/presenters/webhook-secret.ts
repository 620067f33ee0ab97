/** Presents a webhook secret, and until when the previous one stays valid. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { components } from "#gen/openapi/dashboard.ts";
import type { GetWebhookSecretResponse } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { ModeName } from "#runtime/mode.ts";

type Secret = Pick<GetWebhookSecretResponse, "secret" | "olderValidUntil">;

export function presentWebhookSecret(
  mode: ModeName,
  { secret, olderValidUntil: until }: Secret,
): components["schemas"]["WebhookSecret"] {
  return {
    object: "webhook.secret",
    mode,
    secret,
    ...(until ? { previous_expires_at: timestampDate(until).toISOString() } : {}),
  };
}
