/** The RPCs on limits of Tokens. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "./deps.ts";
import { toAlertSettings } from "../domain/alert.ts";
import { toTokenLimit } from "../domain/token-limit.ts";
import { findAlertSettings } from "../store/alerts.ts";
import { listTokenLimits, setTokenLimits as setRows } from "../store/token-limits.ts";

/** GetTokenLimits: the limits of an account and its keys, and its alerts. */
export function getTokenLimits(deps: Deps): ServiceImpl<typeof BillingService>["getTokenLimits"] {
  return async ({ accountId }) => {
    const [limits, alerts] = await Promise.all([
      listTokenLimits(deps.sql, accountId, deps.clock.now()),
      findAlertSettings(deps.sql, accountId),
    ]);
    return { limits: limits.map(toTokenLimit), alerts: toAlertSettings(alerts) };
  };
}

/** SetTokenLimits: sets the limits of an account, or of one of its keys. */
export function setTokenLimits(deps: Deps): ServiceImpl<typeof BillingService>["setTokenLimits"] {
  return async ({ accountId, keyId, dayTokens = null, monthTokens = null }) => {
    await setRows(deps.sql, { accountId, keyId, dayTokens, monthTokens, at: deps.clock.now() });
    return {};
  };
}
