/** Operations on webhook deliveries. */
import type { FastifyRequest } from "fastify";
import type { Delivery, Attempt } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { isId } from "#runtime/id.ts";
import { deliveryStatusOf, deliveryStatusName } from "#vocabulary/names.ts";
import type { components, operations } from "#gen/openapi/media.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import type { Deps } from "./deps.ts";
import {
  ofOwner,
  type Owner,
  pathId,
  pathIdOf,
  type Operation,
  readPage,
  pageParams,
  spanOf,
  required,
  presentPage,
} from "./operation.ts";

type Ref = Owner & { deliveryId: string };

const DELIVERY = {
  name: "delivery",
  idSchema: "WebhookDeliveryId",
  code: "delivery_not_found",
} as const;

/** The delivery that `call` returns for the id in the path, presented. */
export async function webhookDelivery(
  deps: Deps,
  request: FastifyRequest,
  call: (ref: Ref) => Promise<{ delivery?: Delivery | undefined }>,
  { mayBeEvent = false } = {},
) {
  const isEvent = mayBeEvent && isId("evt", pathId(request));
  const deliveryId = isEvent ? pathId(request) : pathIdOf(deps, request, DELIVERY);
  const { delivery } = await ofOwner(
    request,
    DELIVERY.code,
    (owner) => call({ ...owner, deliveryId }),
    (owner) => deps.delivery.getDelivery({ ...owner, deliveryId }),
  );
  return presentDelivery(required(delivery));
}

type Query = NonNullable<operations["listWebhookDeliveries"]["parameters"]["query"]>;

export const listWebhookDeliveries: Operation = (deps) => async (request) => {
  const { status, ...query } = request.query as Query;
  const { deliveries, hasMore } = await readPage(
    deps.delivery.listDeliveries({
      ...pageParams(request),
      ...deliveryFilterOf(query),
      generationId: query.generation_id,
      status: status && deliveryStatusOf(status),
    }),
  );
  return presentPage(
    deliveries.map(presentDelivery),
    hasMore,
  ) satisfies components["schemas"]["WebhookDeliveryList"];
};

type Filters = Pick<Query, "type" | "url" | "created_after" | "created_before">;

/** What the dashboard's list filters by too, as fields of the RPC. */
export function deliveryFilterOf({ type, url, ...times }: Filters) {
  return { type, url, ...spanOf(times) };
}

export const retrieveWebhookDelivery: Operation = (deps) => (request) =>
  webhookDelivery(deps, request, (ref) => deps.delivery.getDelivery(ref));

export const redeliverWebhook: Operation = (deps) => (request) =>
  webhookDelivery(deps, request, (ref) => deps.delivery.redeliver(ref));

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
