/** Operations on webhook deliveries. */
import type { FastifyRequest } from "fastify";
import type { Delivery } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { isId } from "#runtime/id.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { modeOf } from "#vocabulary/mode.ts";
import type { Deps } from "./deps.ts";
import { presentDelivery } from "../presenters/webhook-delivery.ts";
import { callerOf } from "../http/request-state.ts";
import { Problem } from "../http/problem.ts";
import { idFault, pathId, type Operation } from "./operation.ts";
import { required } from "../presenters/required.ts";
import type { components, operations } from "#gen/openapi/media.ts";
import { deliveryStatusOf } from "#vocabulary/delivery-status.ts";
import { presentPage } from "../presenters/page.ts";
import { readPage, pageParams, spanOf } from "./list.ts";

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
