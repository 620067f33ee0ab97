/** sendTestEvent: POST /accounts/{account_id}/webhooks/test-events. */
import { modeOf } from "#runtime/mode.ts";
import { presentDelivery } from "../../presenters/webhook-delivery.ts";
import { callerOf } from "../../http/request-state.ts";
import { required } from "../../operations/operation.ts";
import { Problem } from "../../problem.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const sendTestEvent: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, mode, restriction } = callerOf(request);
  const { url } = request.body as Schemas["WebhookUrlRequest"];
  if (restriction === "account_suspended") throw new Problem(restriction);
  const { delivery } = await deps.delivery.sendTestEvent({ accountId, mode: modeOf(mode), url });
  void reply.code(202);
  return presentDelivery(required(delivery));
};
