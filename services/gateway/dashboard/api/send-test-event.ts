/** sendTestEvent: POST /accounts/{account_id}/webhooks/test-events. */
import { modeOf } from "#runtime/mode.ts";
import { publicDelivery } from "../../presenters/delivery.ts";
import { callerOf } from "../../http/request-state.ts";
import { READ_TIMEOUT_MS, answered, callFor } from "../../operations/operation.ts";
import { Problem } from "../../problem.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const sendTestEvent: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, mode, bar } = callerOf(request);
  const { url } = request.body as Schemas["WebhookUrlRequest"];
  if (bar === "account_suspended") throw new Problem(bar);
  const { delivery } = await deps.delivery.sendTestEvent(
    { accountId, mode: modeOf(mode), url },
    callFor(request, READ_TIMEOUT_MS),
  );
  void reply.code(202);
  return publicDelivery(answered(delivery));
};
