/** RestoreAccount: lifts the suspension of an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { suspendAccount as suspend } from "../store/accounts.ts";
import { toAccount } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function restoreAccount(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["restoreAccount"] {
  return ({ accountId }, context) =>
    deps.sql.begin(async (sql) => {
      const account = toAccount(await suspend(sql, accountId, null), accountId);
      await operatorRecorder(deps, sql, accountId, context)({ action: "account.restore" });
      return { account };
    });
}
