/** Presents a webhook delivery with its attempts. */
import type { components } from "#gen/openapi/media.ts";
import type { Attempt, Delivery } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { deliveryStatusName } from "#vocabulary/delivery-status.ts";
import { publicTime } from "#vocabulary/public-time.ts";

type Schemas = components["schemas"];
type EventType = Schemas["WebhookDelivery"]["type"];

/** Throws for a delivery without status or an attempt without time: every stored one has them. */
export function presentDelivery(delivery: Delivery): Schemas["WebhookDelivery"] {
  const { id, eventId, type, generationId, url, attempts, nextAttemptAt, createdAt } = delivery;
  const status = deliveryStatusName(delivery.status);
  if (status === undefined) throw new Error(`delivery ${id} has no status`);
  return {
    id,
    object: "webhook.delivery",
    event_id: eventId,
    type: type as EventType,
    ...(generationId === undefined ? {} : { generation_id: generationId }),
    url,
    status,
    attempts: attempts.map(presentAttempt),
    ...(nextAttemptAt ? { next_attempt_at: publicTime(nextAttemptAt) } : {}),
    ...(createdAt ? { created_at: publicTime(createdAt) } : {}),
  };
}

function presentAttempt(attempt: Attempt): Schemas["WebhookAttempt"] {
  const { at, statusCode, error, durationMs, responseBody } = attempt;
  if (!at) throw new Error("an attempt has no time");
  return {
    at: publicTime(at),
    ...(statusCode === undefined ? {} : statusOf(statusCode)),
    ...(error ? { error } : {}),
    duration_ms: durationMs,
    ...(responseBody === undefined ? {} : { response_body: responseBody }),
  };
}

/** A receiver may answer with a status that HTTP does not have. */
function statusOf(statusCode: number): Pick<Schemas["WebhookAttempt"], "status_code" | "error"> {
  if (statusCode >= 100 && statusCode <= 599) return { status_code: statusCode };
  return { error: `the status ${statusCode}, which HTTP does not have` };
}
