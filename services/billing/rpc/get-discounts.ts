/** GetDiscounts: the discounts of an account that are in force now. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { discountsInForce } from "../store/discounts.ts";

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
