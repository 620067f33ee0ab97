/** Reserve: sets available Tokens aside as a hold. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { moveHold } from "./move-hold.ts";

export function reserve(deps: Deps): ServiceImpl<typeof BillingService>["reserve"] {
  return async ({ hold, ...reserved }) => {
    const balance = await moveHold(deps, "reserve", hold, reserved);
    return { balance: { available: balance.available, reserved: balance.reserved } };
  };
}
