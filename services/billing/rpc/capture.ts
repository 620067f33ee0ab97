/** Capture: charges a hold. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { moveHold } from "./move-hold.ts";

export function capture(deps: Deps): ServiceImpl<typeof BillingService>["capture"] {
  return async (request) => {
    const { tokens } = await moveHold(deps, "capture", request.hold);
    return { tokens };
  };
}
