/** RecordAction: adds an entry of an operator to an account's audit log. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { modeName } from "#runtime/mode.ts";
import type { AccountDeps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import type { AuditAction } from "../store/audit-log.ts";
import { accountNotFound } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function recordAction(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["recordAction"] {
  return async ({ accountId, action, target, mode, details, error }, context) => {
    if (!(await findAccount(deps.sql, accountId))) throw accountNotFound(accountId);
    await operatorRecorder(
      deps,
      deps.sql,
      accountId,
      context,
    )({
      action: action as AuditAction,
      details,
      ...(target === "" ? {} : { target }),
      ...(mode === undefined ? {} : { mode: modeName(mode) }),
      ...(error === "" ? {} : { error }),
    });
    return {};
  };
}
