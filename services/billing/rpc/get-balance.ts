/** GetBalance: the current balance, and the account's limits. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { Deps } from "../deps.ts";
import { toTokenLimit } from "../domain/token-limit.ts";
import { readBalance } from "../store/balances.ts";
import { listTokenLimits } from "../store/token-limits.ts";

/** The account's limits, not those of its keys. */
const OF_THE_ACCOUNT = "";

export function getBalance(deps: Deps): ServiceImpl<typeof BillingService>["getBalance"] {
  return async ({ accountId, mode }) => {
    const at = deps.clock.now();
    const { hasLimits, ...balance } = await readBalance(deps.sql, accountId, modeName(mode), at);
    if (!hasLimits) return { balance };
    const limits = await listTokenLimits(deps.sql, accountId, at, OF_THE_ACCOUNT);
    return { balance, limits: limits.map(toTokenLimit) };
  };
}
