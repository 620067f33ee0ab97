/** rotateWebhookSecret: POST /accounts/{account_id}/webhooks/secret/rotate. */
import { modeOf } from "#runtime/mode.ts";
import { presentWebhookSecret } from "../../presenters/webhook-secret.ts";
import { callerOf } from "../../http/request-state.ts";
import { recordAndCall } from "../change-account.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const rotateWebhookSecret: DashboardOperation = (deps) => async (request) => {
  const { accountId, mode } = callerOf(request);
  const { id: userId } = userOf(request);
  const change = { action: "webhook_secret.rotate", mode } as const;
  const rotated = await recordAndCall(deps, request, change, () =>
    deps.delivery.rotateWebhookSecret({ accountId, mode: modeOf(mode), userId }),
  );
  return presentWebhookSecret(deps.sql, mode, rotated);
};
