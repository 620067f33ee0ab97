/** The RPCs on discounts. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate, timestampDate } from "@bufbuild/protobuf/wkt";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "./deps.ts";
import { discountsInForce, insertDiscount } from "../store/discounts.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";

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
