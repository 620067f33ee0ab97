/** GrantProduction: permits an account to create and use live keys. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { grantAccountProduction } from "../store/accounts.ts";
import { toAccount } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function grantProduction(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["grantProduction"] {
  return ({ accountId }, context) =>
    deps.sql.begin(async (sql) => {
      const account = toAccount(await grantAccountProduction(sql, accountId), accountId);
      await operatorRecorder(deps, sql, accountId, context)({ action: "account.grant_production" });
      return { account };
    });
}
