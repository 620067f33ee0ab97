/** enableUrl: POST /accounts/{account_id}/webhooks/disabled-urls/enable. */
import { modeOf } from "#runtime/mode.ts";
import { callerOf } from "../../http/request-state.ts";
import { recordAndCall } from "../change-account.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const enableUrl: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, mode } = callerOf(request);
  const { url } = request.body as Schemas["WebhookUrlRequest"];
  await recordAndCall(deps, request, { action: "webhook_url.enable", target: url, mode }, () =>
    deps.delivery.enableUrl({ accountId, mode: modeOf(mode), url }),
  );
  return reply.code(204).send();
};
