/** SuspendAccount: refuses the account's creates; its reads still work. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { suspendAccount as suspend } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function suspendAccount({
  sql,
  clock,
}: AccountDeps): ServiceImpl<typeof AccountService>["suspendAccount"] {
  return async ({ accountId }) => ({
    account: toAccount(await suspend(sql, accountId, clock.now()), accountId),
  });
}
