/** CreateAccount: creates an account with test access only. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { insertAccount } from "../store/accounts.ts";
import { toAccount } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function createAccount(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["createAccount"] {
  return ({ name }, context) =>
    deps.sql.begin(async (sql) => {
      const accountId = deps.newId("acct");
      const row = await insertAccount(sql, accountId, name, deps.clock.now());
      const record = operatorRecorder(deps, sql, accountId, context);
      await record({ action: "account.create", details: { name } });
      return { account: toAccount(row, accountId) };
    });
}
