/** ConfirmAlert: an alert was delivered, and is deleted. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { deleteAlert } from "../store/alerts.ts";

export function confirmAlert(deps: Deps): ServiceImpl<typeof BillingService>["confirmAlert"] {
  return async ({ accountId, eventId }) => {
    await deleteAlert(deps.sql, accountId, eventId);
    return {};
  };
}
