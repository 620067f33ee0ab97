/** ClaimAlerts: due alerts, for one caller alone until its lease ends. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "../deps.ts";
import { toAlert } from "../domain/alert.ts";
import { claimAlerts as claimRows } from "../store/alerts.ts";

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
