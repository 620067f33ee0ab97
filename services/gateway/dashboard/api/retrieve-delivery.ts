/** retrieveDelivery: GET /accounts/{account_id}/webhooks/deliveries/{id}. */
import { retrieveWebhookDelivery } from "../../operations/retrieve-webhook-delivery.ts";
import type { DashboardOperation } from "./operation.ts";

export const retrieveDelivery: DashboardOperation = (deps) => {
  const retrieve = retrieveWebhookDelivery(deps);
  return async (request, reply) => ({ delivery: await retrieve(request, reply) });
};
