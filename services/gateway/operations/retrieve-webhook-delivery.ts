/** retrieveWebhookDelivery: GET /webhooks/deliveries/{id}. */
import type { Operation } from "./operation.ts";
import { webhookDelivery } from "./webhook-delivery.ts";

export const retrieveWebhookDelivery: Operation = (deps) => (request) =>
  webhookDelivery(deps, request, (ref) => deps.delivery.getDelivery(ref));
