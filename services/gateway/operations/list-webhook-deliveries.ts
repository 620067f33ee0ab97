/** listWebhookDeliveries: GET /webhooks/deliveries. */
import type { components, operations } from "#gen/openapi/media.ts";
import { deliveryStatusOf } from "#runtime/delivery-status.ts";
import { presentDelivery } from "../presenters/webhook-delivery.ts";
import { presentPage } from "../presenters/page.ts";
import { readPage, pageParams } from "./list.ts";
import type { Operation } from "./operation.ts";

type Query = NonNullable<operations["listWebhookDeliveries"]["parameters"]["query"]>;

export const listWebhookDeliveries: Operation = (deps) => async (request) => {
  const { generation_id: generationId, status } = request.query as Query;
  const { deliveries, hasMore } = await readPage(
    deps.delivery.listDeliveries({
      ...pageParams(request),
      ...(generationId === undefined ? {} : { generationId }),
      ...(status === undefined ? {} : { status: deliveryStatusOf(status) }),
    }),
  );
  return presentPage(
    deliveries.map(presentDelivery),
    hasMore,
  ) satisfies components["schemas"]["WebhookDeliveryList"];
};
