/** Operations on webhook deliveries. */
import type { Delivery, Attempt } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { deliveryStatusOf, deliveryStatusName } from "#vocabulary/names.ts";
import type { components, operations } from "#gen/openapi/media.ts";
import {
  type Noun,
  ofOwner,
  type Owner,
  type Operation,
  readPage,
  pageParams,
  spanOf,
  required,
  presentPage,
  publicOf,
} from "./operation.ts";

type Ref = Owner & { deliveryId: string };

export const DELIVERY: Noun<Ref> = {
  name: "delivery",
  idSchema: "WebhookDeliveryId",
  code: "delivery_not_found",
  refOf: (owner, deliveryId) => ({ ...owner, deliveryId }),
  read: ({ delivery }, ref) => delivery.getDelivery(ref),
};

type Query = NonNullable<operations["listWebhookDeliveries"]["parameters"]["query"]>;
/** The dashboard's list has one status more. */
type Filters = Omit<Query, "status"> & { status?: Query["status"] | "failing" };

export const listWebhookDeliveries: Operation = async ({ deps, request }) => {
  const { status, type, url, generation_id: generationId, ...times } = request.query as Filters;
  const { deliveries, hasMore } = await readPage(
    deps.delivery.listDeliveries({
      ...pageParams(request),
      ...spanOf(times),
      type,
      url,
      generationId,
      status: status && deliveryStatusOf(status === "failing" ? "pending" : status),
      failing: status === "failing",
    }),
  );
  return presentPage(deliveries.map(presentDelivery), hasMore);
};

function answerOf(rpc: "getDelivery" | "redeliver"): Operation {
  return async (call) => {
    const answer = async (ref: Ref): Promise<{ delivery?: Delivery | undefined }> =>
      call.deps.delivery[rpc](ref);
    const { delivery } = await ofOwner(call, DELIVERY, answer);
    return presentDelivery(required(delivery));
  };
}

export const retrieveWebhookDelivery = answerOf("getDelivery");

export const redeliverWebhook = answerOf("redeliver");

type Schemas = components["schemas"];
type EventType = Schemas["WebhookDelivery"]["type"];

/** Throws for a delivery without status: every stored one has it. */
export function presentDelivery(delivery: Delivery): Schemas["WebhookDelivery"] {
  return {
    ...publicOf(delivery),
    object: "webhook.delivery",
    type: delivery.type as EventType,
    status: required(deliveryStatusName(delivery.status)),
    attempts: delivery.attempts.map(presentAttempt),
  };
}

/** A receiver may answer with a status that HTTP does not have. */
function presentAttempt({ statusCode, ...attempt }: Attempt): Schemas["WebhookAttempt"] {
  const shown = publicOf(attempt);
  if (statusCode === undefined) return shown;
  if (statusCode >= 100 && statusCode <= 599) return { ...shown, status_code: statusCode };
  return { error: `the status ${statusCode}, which HTTP does not have`, ...shown };
}
