/** retrieveWebhookSecret: GET /accounts/{account_id}/webhooks/secret. */
import { modeOf } from "#runtime/mode.ts";
import { presentWebhookSecret } from "../../presenters/webhook-secret.ts";
import { callerOf } from "../../http/request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const retrieveWebhookSecret: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  return presentWebhookSecret(
    deps.sql,
    mode,
    await deps.delivery.getWebhookSecret({ accountId, mode: modeOf(mode) }),
  );
};
