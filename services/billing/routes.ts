/** Maps each RPC to its handler. */
import type { ServiceImpl } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Routes } from "#runtime/rpc/server.ts";
import type { Deps } from "./deps.ts";
import { adjust } from "./rpc/adjust.ts";
import { auditAccount } from "./rpc/audit-account.ts";
import { capture } from "./rpc/capture.ts";
import { checkHolds } from "./rpc/check-holds.ts";
import { claimAlerts } from "./rpc/claim-alerts.ts";
import { confirmAlert } from "./rpc/confirm-alert.ts";
import { getBalance } from "./rpc/get-balance.ts";
import { getDiscounts } from "./rpc/get-discounts.ts";
import { getStatement } from "./rpc/get-statement.ts";
import { getTokenLimits } from "./rpc/get-token-limits.ts";
import { listOpenHolds } from "./rpc/list-open-holds.ts";
import { listTransactions } from "./rpc/list-transactions.ts";
import { recharge } from "./rpc/recharge.ts";
import { release } from "./rpc/release.ts";
import { reserve } from "./rpc/reserve.ts";
import { setAlerts } from "./rpc/set-alerts.ts";
import { setDiscount } from "./rpc/set-discount.ts";
import { setTokenLimits } from "./rpc/set-token-limits.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    reserve: reserve(deps),
    capture: capture(deps),
    release: release(deps),
    recharge: recharge(deps),
    getBalance: getBalance(deps),
    listTransactions: listTransactions(deps),
    adjust: adjust(deps),
    setDiscount: setDiscount(deps),
    getDiscounts: getDiscounts(deps),
    auditAccount: auditAccount(deps),
    listOpenHolds: listOpenHolds(deps),
    checkHolds: checkHolds(deps),
    getStatement: getStatement(deps),
    setTokenLimits: setTokenLimits(deps),
    getTokenLimits: getTokenLimits(deps),
    setAlerts: setAlerts(deps),
    claimAlerts: claimAlerts(deps),
    confirmAlert: confirmAlert(deps),
  } satisfies ServiceImpl<typeof BillingService>;
  return (router) => router.service(BillingService, implementation);
}
