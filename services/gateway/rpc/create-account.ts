/** CreateAccount: creates an account with test access only. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { insertAccount } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function createAccount({
  sql,
  clock,
  newId,
}: AccountDeps): ServiceImpl<typeof AccountService>["createAccount"] {
  return async ({ name }) => {
    const accountId = newId("acct");
    const row = await insertAccount(sql, accountId, name, clock.now());
    return { account: toAccount(row, accountId) };
  };
}
