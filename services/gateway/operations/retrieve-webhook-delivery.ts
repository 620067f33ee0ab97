/** retrieveWebhookDelivery: GET /webhooks/deliveries/{id}. */
import { READ_TIMEOUT_MS, callFor } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { webhookDelivery } from "./webhook-delivery.ts";

export const retrieveWebhookDelivery: Operation = (deps) => (request) =>
  webhookDelivery(deps, request, (ref) =>
    deps.delivery.getDelivery(ref, callFor(request, READ_TIMEOUT_MS)),
  );
