/** Names of RPCs to their handlers. */
import type { ServiceImpl } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Routes } from "#runtime/rpc-server.ts";
import type { Deps } from "./deps.ts";
import { capture } from "./rpc/capture.ts";
import { getBalance } from "./rpc/get-balance.ts";
import { recharge } from "./rpc/recharge.ts";
import { release } from "./rpc/release.ts";
import { reserve } from "./rpc/reserve.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    reserve: reserve(deps),
    capture: capture(deps),
    release: release(deps),
    recharge: recharge(deps),
    getBalance: getBalance(deps),
  } satisfies ServiceImpl<typeof BillingService>;
  return (router) => router.service(BillingService, implementation);
}
