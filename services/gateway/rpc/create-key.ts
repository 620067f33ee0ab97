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
import { OPERATOR } from "../store/creators.ts";
import { accountNotFound } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function createKey(deps: AccountDeps): ServiceImpl<typeof AccountService>["createKey"] {
  return async ({ accountId, mode: modeNumber, name }, context) => {
    const mode = modeName(modeNumber);
    const key = await deps.sql.begin(async (sql) => {
      const wanted = { accountId, mode, name, createdBy: OPERATOR };
      const issued = await issueKey({ ...deps, sql }, wanted);
      if (!issued) return undefined;
      const record = operatorRecorder(deps, sql, accountId, context);
      await record({ action: "key.create", target: issued.id, mode, details: { name } });
      return issued;
    });
    if (!key) throw await refusalOf(deps, accountId);
    const { id, prefix, lastFour, at, secret, createdBy } = key;
    const fields = { accountId, id, name, mode: modeNumber, prefix, lastFour, createdBy };
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
