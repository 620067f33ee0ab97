/** CreateKey: issues an API key and returns its secret, once. */
import type { ServiceImpl } from "@connectrpc/connect";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#runtime/mode.ts";
import { issueKey } from "../accounts/issue-key.ts";
import type { AccountDeps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { accountNotFound } from "./account.ts";

export function createKey(deps: AccountDeps): ServiceImpl<typeof AccountService>["createKey"] {
  return async ({ accountId, mode, name }) => {
    const key = await issueKey(deps, { accountId, mode: modeName(mode), name });
    if (!key) throw await refusalOf(deps, accountId);
    const { id, prefix, lastFour, at, secret } = key;
    const fields = { accountId, id, name, mode, prefix, lastFour };
    return { key: { ...fields, createdAt: timestampFromDate(at) }, secret };
  };
}

async function refusalOf({ sql }: AccountDeps, accountId: string): Promise<Error> {
  if (!(await findAccount(sql, accountId))) return accountNotFound(accountId);
  return refusal({
    reason: ErrorReason.PRODUCTION_REQUIRED,
    field: "mode",
    message: "the account has test access only; grant it production before creating a live key",
  });
}
