/** The RPCs of AccountService. */
import type { ServiceImpl } from "@connectrpc/connect";
import { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { Routes } from "#runtime/rpc/server/direct.ts";
import { accountRpcs } from "./rpc/accounts.ts";
import type { DashboardDeps } from "./dashboard/session/sessions.ts";
import { keyRpcs } from "./rpc/keys.ts";
import { userRpcs } from "./rpc/users.ts";

export function routes(deps: DashboardDeps): Routes {
  const implementation = {
    ...accountRpcs(deps),
    ...keyRpcs(deps),
    ...userRpcs(deps),
  } satisfies ServiceImpl<typeof AccountService>;
  return (router) => router.service(AccountService, implementation);
}
