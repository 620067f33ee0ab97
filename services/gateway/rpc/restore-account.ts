/** RestoreAccount: lifts the suspension of an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { suspendAccount as suspend } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function restoreAccount({
  sql,
}: AccountDeps): ServiceImpl<typeof AccountService>["restoreAccount"] {
  return async ({ accountId }) => ({
    account: toAccount(await suspend(sql, accountId, null), accountId),
  });
}
