/** CheckHolds: whether each of these holds is open. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { holdName } from "../domain/hold-name.ts";
import { checkHolds as checkRows } from "../store/open-holds.ts";

export function checkHolds(deps: Deps): ServiceImpl<typeof BillingService>["checkHolds"] {
  return async ({ holds }) => ({ open: await checkRows(deps.sql, holds.map(holdName)) });
}
