/** GetBalance: the current balance. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { readBalance } from "../store/balances.ts";

export function getBalance(deps: Deps): ServiceImpl<typeof BillingService>["getBalance"] {
  return async (request) => {
    const mode = modeName(request.mode);
    return { balance: await readBalance(deps.sql, request.accountId, mode, deps.clock.now()) };
  };
}
