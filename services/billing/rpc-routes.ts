/** Maps each RPC to its handler. */
import type { ServiceImpl } from "@connectrpc/connect";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import type { Deps } from "./rpc/deps.ts";
import { adjust, getBalance, recharge } from "./rpc/balance.ts";
import { auditAccount, getStatement, listTransactions } from "./rpc/entries.ts";
import { capture, checkHolds, listOpenHolds, release, reserve } from "./rpc/holds.ts";
import {
  claimAlerts,
  confirmAlert,
  eraseAccount,
  getDiscounts,
  getTokenLimits,
  setAlerts,
  setDiscount,
  setTokenLimits,
} from "./rpc/account-settings.ts";

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
    eraseAccount: eraseAccount(deps),
  } satisfies ServiceImpl<typeof BillingService>;
  return (router) => router.service(BillingService, implementation);
}
