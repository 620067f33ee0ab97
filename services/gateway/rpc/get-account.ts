/** GetAccount: returns an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function getAccount({ sql }: AccountDeps): ServiceImpl<typeof AccountService>["getAccount"] {
  return async ({ accountId }) => ({
    account: toAccount(await findAccount(sql, accountId), accountId),
  });
}
