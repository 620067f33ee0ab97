/** retrieveWebhookDelivery: GET /webhooks/deliveries/{id}. */
import { callFor } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { webhookDelivery } from "./webhook-delivery.ts";

export const retrieveWebhookDelivery: Operation = (deps) => (request) =>
  webhookDelivery(deps, request, (ref) => deps.delivery.getDelivery(ref, callFor(request)));
