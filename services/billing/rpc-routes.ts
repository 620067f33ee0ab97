/** The handlers of BillingService. */
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import { accountSettingRpcs } from "./rpc/account-settings.ts";
import { balanceRpcs } from "./rpc/balance.ts";
import type { Deps, Rpcs } from "./rpc/deps.ts";
import { entryRpcs } from "./rpc/entries.ts";
import { holdRpcs } from "./rpc/holds.ts";

export function routes(deps: Deps): Routes {
  const implementation = {
    ...holdRpcs(deps),
    ...balanceRpcs(deps),
    ...entryRpcs(deps),
    ...accountSettingRpcs(deps),
  } satisfies Rpcs;
  return (router) => router.service(BillingService, implementation);
}
