/** retrieveDelivery: GET /accounts/{account_id}/webhooks/deliveries/{id}. */
import { webhookDelivery } from "../../operations/webhook-delivery.ts";
import type { DashboardOperation } from "./operation.ts";

export const retrieveDelivery: DashboardOperation = (deps) => async (request) => {
  let payload: string | undefined;
  const delivery = await webhookDelivery(deps, request, async (ref) => {
    const response = await deps.delivery.getDelivery(ref);
    payload = response.body;
    return response;
  });
  return { delivery, ...(payload === undefined ? {} : { payload }) };
};
