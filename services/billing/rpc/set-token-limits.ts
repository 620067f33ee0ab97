/** SetTokenLimits: sets the limits of an account, or of one of its keys. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Deps } from "../deps.ts";
import { setTokenLimits as setRows } from "../store/token-limits.ts";

export function setTokenLimits(deps: Deps): ServiceImpl<typeof BillingService>["setTokenLimits"] {
  return async ({ accountId, keyId, dayTokens = null, monthTokens = null }) => {
    await setRows(deps.sql, { accountId, keyId, dayTokens, monthTokens, at: deps.clock.now() });
    return {};
  };
}
