/** GrantProduction: permits an account to create and use live keys. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { grantAccountProduction } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function grantProduction({
  sql,
}: AccountDeps): ServiceImpl<typeof AccountService>["grantProduction"] {
  return async ({ accountId }) => ({
    account: toAccount(await grantAccountProduction(sql, accountId), accountId),
  });
}
