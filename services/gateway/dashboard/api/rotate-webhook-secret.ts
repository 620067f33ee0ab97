/** rotateWebhookSecret: POST /accounts/{account_id}/webhooks/secret/rotate. */
import { modeOf } from "#runtime/mode.ts";
import { presentWebhookSecret } from "../../presenters/webhook-secret.ts";
import { callerOf } from "../../http/request-state.ts";
import { callFor } from "../../operations/operation.ts";
import type { DashboardOperation } from "./operation.ts";

export const rotateWebhookSecret: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const call = callFor(request);
  return presentWebhookSecret(
    mode,
    await deps.delivery.rotateWebhookSecret({ accountId, mode: modeOf(mode) }, call),
  );
};
