/** ListKeys: returns the API keys of an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { listAccountKeys } from "../store/account-keys.ts";
import { findAccount } from "../store/accounts.ts";
import { accountNotFound } from "./account.ts";
import { toKey } from "./key.ts";

const MAX_LISTED = 1_000;

export function listKeys({ sql }: AccountDeps): ServiceImpl<typeof AccountService>["listKeys"] {
  return async ({ accountId }) => {
    if (!(await findAccount(sql, accountId))) throw accountNotFound(accountId);
    const rows = await listAccountKeys(sql, accountId, MAX_LISTED);
    return { keys: rows.map((row) => toKey(accountId, row)) };
  };
}
