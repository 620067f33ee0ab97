/** Release: restores the Tokens of a hold. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { moveHold } from "./move-hold.ts";

export function release(deps: Deps): ServiceImpl<typeof BillingService>["release"] {
  return async (request) => {
    const { tokens } = await moveHold(deps, "release", request.hold);
    return { tokens };
  };
}
