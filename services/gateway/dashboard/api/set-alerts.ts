/** setAlerts: PUT /accounts/{account_id}/alerts. */
import { recordAndCall } from "../change-account.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { readLimits } from "./retrieve-limits.ts";

export const setAlerts: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const settings = request.body as Schemas["AlertSettings"];
  const { low_balance: low, limit_percents: limitPercents, webhook_url: url, mail } = settings;
  const details = {
    low_balance: low ?? "none",
    limit_percents: limitPercents.join(", "),
    webhook_url: url ?? "none",
    mail: String(mail),
  };
  const change = { action: "alerts.set", mode: "live", details } as const;
  const alerts = {
    ...(low === undefined ? {} : { lowBalance: BigInt(low) }),
    limitPercents,
    webhookUrl: url ?? "",
    mail,
  };
  await recordAndCall(deps, request, change, () => deps.billing.setAlerts({ accountId, alerts }));
  return readLimits(deps, request);
};
