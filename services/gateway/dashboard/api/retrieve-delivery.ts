/** retrieveDelivery: GET /accounts/{account_id}/webhooks/deliveries/{id}. */
import { READ_TIMEOUT_MS, callFor } from "../../operations/operation.ts";
import { webhookDelivery } from "../../operations/webhook-delivery.ts";
import type { DashboardOperation } from "./operation.ts";

export const retrieveDelivery: DashboardOperation = (deps) => async (request) => {
  let payload: string | undefined;
  const delivery = await webhookDelivery(deps, request, async (named) => {
    const found = await deps.delivery.getDelivery(named, callFor(request, READ_TIMEOUT_MS));
    payload = found.body;
    return found;
  });
  return { delivery, ...(payload === undefined ? {} : { payload }) };
};
