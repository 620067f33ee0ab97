/** ListAccounts: returns a page of all accounts. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { listAccounts as listRows } from "../store/accounts.ts";
import { toAccount } from "./account.ts";

export function listAccounts({
  sql,
}: AccountDeps): ServiceImpl<typeof AccountService>["listAccounts"] {
  return async ({ limit, after }) => {
    const rows = await listRows(sql, after, limit + 1);
    return {
      accounts: rows.slice(0, limit).map((row) => toAccount(row, row.accountId)),
      hasMore: rows.length > limit,
    };
  };
}
