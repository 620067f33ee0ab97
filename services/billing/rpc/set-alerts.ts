/** SetAlerts: sets when and where an account is told about its Tokens. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { setAlerts as setRow } from "../store/alerts.ts";

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
