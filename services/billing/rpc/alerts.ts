/** The RPCs on alerts about Tokens. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "./deps.ts";
import { setAlerts as setRow, claimAlerts as claimRows, deleteAlert } from "../store/alerts.ts";
import { addMs } from "#runtime/clock.ts";
import { toAlert } from "../domain/alert.ts";

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
