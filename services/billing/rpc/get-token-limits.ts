/** GetTokenLimits: the limits of an account and its keys, and its alerts. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { toAlertSettings } from "../domain/alert.ts";
import { toTokenLimit } from "../domain/token-limit.ts";
import { findAlertSettings } from "../store/alerts.ts";
import { listTokenLimits } from "../store/token-limits.ts";

export function getTokenLimits(deps: Deps): ServiceImpl<typeof BillingService>["getTokenLimits"] {
  return async ({ accountId }) => {
    const [limits, alerts] = await Promise.all([
      listTokenLimits(deps.sql, accountId, deps.clock.now()),
      findAlertSettings(deps.sql, accountId),
    ]);
    return { limits: limits.map(toTokenLimit), alerts: toAlertSettings(alerts) };
  };
}
