/** The RPCs on what is set for an account: discounts, limits of Tokens, and alerts about Tokens. */
import { timestampDate, timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { invalidField, refusal } from "#runtime/rpc/errors.ts";
import { toAlert, toAlertSettings } from "../domain/alert.ts";
import { EACH_END_USER, toTokenLimit } from "../domain/token-limit.ts";
import type { Deps } from "./deps.ts";
import {
  claimAlerts as claimRows,
  deleteAlert,
  discountsInForce,
  eraseAccount as eraseRows,
  findAlertSettings,
  insertDiscount,
  listTokenLimits,
  setAlerts as setRow,
  setTokenLimits as setRows,
} from "../store/account-settings.ts";

export function getDiscounts(deps: Deps): ServiceImpl<typeof BillingService>["getDiscounts"] {
  return async ({ accountId }) => {
    const rows = await discountsInForce(deps.sql, accountId, deps.clock.now());
    return {
      discounts: rows.map(({ model, basisPoints, startsAt }) => ({
        model,
        basisPoints,
        from: timestampFromDate(startsAt),
      })),
    };
  };
}

export function setDiscount(deps: Deps): ServiceImpl<typeof BillingService>["setDiscount"] {
  return async ({ accountId, discount }) => {
    const model = discount?.model ?? "";
    const startsAt = discount?.from ? timestampDate(discount.from) : deps.clock.now();
    const row = await insertDiscount(deps.sql, {
      accountId,
      model,
      basisPoints: discount?.basisPoints ?? 0,
      startsAt,
    });
    if (row.basisPoints !== discount?.basisPoints) {
      throw refusal({
        reason: ErrorReason.CONTENT_DIFFERS,
        field: "discount.basis_points",
        message: `${row.basisPoints} basis points are set from ${startsAt.toISOString()} on; choose another time`,
      });
    }
    return {
      discount: { model, basisPoints: row.basisPoints, from: timestampFromDate(startsAt) },
    };
  };
}

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
      throw invalidField("per_end_user", "key_id and per_end_user exclude each other");
    }
    const countedFor = perEndUser ? EACH_END_USER : keyId;
    const limits = { accountId, countedFor, dayTokens, monthTokens, at: deps.clock.now() };
    await setRows(deps.sql, limits);
    return {};
  };
}

export function setAlerts(deps: Deps): ServiceImpl<typeof BillingService>["setAlerts"] {
  return async ({ accountId, alerts }) => {
    const row = {
      lowBelow: alerts?.lowBalance ?? null,
      limitPercents: alerts?.limitPercents ?? [],
      webhookUrl: alerts?.webhookUrl || null,
      mail: alerts?.mail ?? true,
    };
    await setRow(deps.sql, accountId, row, deps.clock.now());
    return {};
  };
}

const LEASE_MS = 60_000;

export function claimAlerts(deps: Deps): ServiceImpl<typeof BillingService>["claimAlerts"] {
  return async ({ limit }) => {
    const at = deps.clock.now();
    const rows = await claimRows(deps.sql, { limit, at, dueAgainAt: addMs(at, LEASE_MS) });
    return {
      alerts: rows.map((row) => ({
        alert: toAlert(row),
        webhookUrl: row.webhookUrl ?? "",
        mail: row.mail,
      })),
    };
  };
}

export function confirmAlert(deps: Deps): ServiceImpl<typeof BillingService>["confirmAlert"] {
  return async ({ accountId, eventId }) => {
    await deleteAlert(deps.sql, accountId, eventId);
    return {};
  };
}

export function eraseAccount(deps: Deps): ServiceImpl<typeof BillingService>["eraseAccount"] {
  return async ({ accountId }) => {
    await eraseRows(deps.sql, accountId);
    return { done: true };
  };
}
