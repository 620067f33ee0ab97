/** redeliverWebhook: POST /webhooks/deliveries/{id}/redeliver. */
import type { Operation } from "./operation.ts";
import { webhookDelivery } from "./webhook-delivery.ts";

export const redeliverWebhook: Operation = (deps) => async (request, reply) => {
  const delivery = await webhookDelivery(deps, request, (ref) => deps.delivery.redeliver(ref));
  void reply.code(202);
  return delivery;
};
