/** The RPCs on limits of Tokens. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "./deps.ts";
import { toAlertSettings } from "../domain/alert.ts";
import { EACH_END_USER, toTokenLimit } from "../domain/token-limit.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { findAlertSettings } from "../store/alerts.ts";
import { listTokenLimits, setTokenLimits as setRows } from "../store/token-limits.ts";

export function getTokenLimits(deps: Deps): ServiceImpl<typeof BillingService>["getTokenLimits"] {
  return async ({ accountId }) => {
    const [limits, alerts] = await Promise.all([
      listTokenLimits(deps.sql, accountId, deps.clock.now()),
      findAlertSettings(deps.sql, accountId),
    ]);
    return { limits: limits.map(toTokenLimit), alerts: toAlertSettings(alerts) };
  };
}

export function setTokenLimits(deps: Deps): ServiceImpl<typeof BillingService>["setTokenLimits"] {
  return async ({ accountId, keyId, perEndUser, dayTokens = null, monthTokens = null }) => {
    if (perEndUser && keyId !== "") {
      throw refusal({
        reason: ErrorReason.INVALID_FIELD,
        field: "per_end_user",
        message: "key_id and per_end_user exclude each other",
      });
    }
    const countedFor = perEndUser ? EACH_END_USER : keyId;
    const limits = { accountId, countedFor, dayTokens, monthTokens, at: deps.clock.now() };
    await setRows(deps.sql, limits);
    return {};
  };
}
