/** Presents a webhook secret, who rotated it and when, and until when the previous one stays valid. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { GetWebhookSecretResponse } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import type { ModeName } from "#runtime/mode.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { publicTime } from "#runtime/public-time.ts";
import { required } from "../operations/operation.ts";
import { findUserName } from "../store/users.ts";
import { presentCreator } from "./creator.ts";

type Secret = Pick<
  GetWebhookSecretResponse,
  "secret" | "olderValidUntil" | "createdBy" | "createdAt"
>;

export async function presentWebhookSecret(
  sql: Db,
  mode: ModeName,
  { secret, olderValidUntil: until, createdBy, createdAt }: Secret,
): Promise<components["schemas"]["WebhookSecret"]> {
  const creatorName = createdBy === "" ? null : await findUserName(sql, createdBy);
  return {
    object: "webhook.secret",
    mode,
    secret,
    ...presentCreator({ createdBy, creatorName }),
    created_at: publicTime(required(createdAt)),
    ...(until ? { previous_expires_at: publicTime(until) } : {}),
  };
}
