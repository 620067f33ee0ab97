/** A webhook secret as the dashboard shows it. */
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { components } from "#gen/openapi/dashboard.ts";
import type { GetWebhookSecretResponse } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { ModeName } from "#runtime/mode.ts";

type Shown = Pick<GetWebhookSecretResponse, "secret" | "olderValidUntil">;

export function publicSecret(
  mode: ModeName,
  { secret, olderValidUntil: until }: Shown,
): components["schemas"]["WebhookSecret"] {
  return {
    object: "webhook.secret",
    mode,
    secret,
    ...(until ? { previous_expires_at: timestampDate(until).toISOString() } : {}),
  };
}
