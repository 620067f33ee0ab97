/** SetLimits: sets an account's rate limits and its limit of unfinished generations. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { setAccountLimits } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function setLimits({ sql }: AccountDeps): ServiceImpl<typeof AccountService>["setLimits"] {
  return async ({ accountId, createsPerMinute, readsPerMinute, maxUnfinished }) => {
    const limits = { createsPerMinute, readsPerMinute, maxUnfinished };
    return { account: toAccount(await setAccountLimits(sql, accountId, limits), accountId) };
  };
}
