/** Operations on webhook deliveries. */
import type { FastifyRequest } from "fastify";
import type { Delivery, Attempt } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isId } from "#runtime/id.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { modeOf, deliveryStatusOf, deliveryStatusName } from "#vocabulary/names.ts";
import type { components, operations } from "#gen/openapi/media.ts";
import { publicTime } from "#vocabulary/public-values.ts";
import type { Deps } from "./deps.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { idFault, pathId, type Operation, readPage, pageParams, spanOf } from "./operation.ts";
import { required, presentPage } from "../presenters/page.ts";

type DeliveryRef = { accountId: string; mode: ReturnType<typeof modeOf>; deliveryId: string };

/** The delivery that `call` returns for the id in the path, presented. */
export async function webhookDelivery(
  deps: Deps,
  request: FastifyRequest,
  call: (ref: DeliveryRef) => Promise<{ delivery?: Delivery | undefined }>,
  { mayBeEvent = false } = {},
) {
  const deliveryId = pathId(request);
  const isEvent = mayBeEvent && isId("evt", deliveryId);
  const message = idFault(deps, deliveryId, "delivery", "WebhookDeliveryId");
  if (message && !isEvent) throw notFound({ message });
  const { accountId, mode } = callerOf(request);
  try {
    const { delivery } = await call({ accountId, mode: modeOf(mode), deliveryId });
    return presentDelivery(required(delivery));
  } catch (error) {
    throw reasonOf(error) === ErrorReason.NOT_FOUND ? notFound({ cause: error }) : error;
  }
}

function notFound(details: { cause?: unknown; message?: string }): Problem {
  return new Problem("delivery_not_found", details);
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

export const redeliverWebhook: Operation = (deps) => async (request, reply) => {
  const delivery = await webhookDelivery(deps, request, (ref) => deps.delivery.redeliver(ref));
  void reply.code(202);
  return delivery;
};

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
