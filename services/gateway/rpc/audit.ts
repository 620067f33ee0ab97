/** The audit log entries of operators, through whose calls accounts change. */
import type { HandlerContext } from "@connectrpc/connect";
import { callerAddressKey } from "#runtime/rpc/caller-address.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { recorder, type RecordChange } from "../accounts/recorder.ts";
import type { AccountDeps } from "./deps.ts";

/** Adds entries of the operator who makes this call, through `sql`. */
export function operatorRecorder(
  deps: AccountDeps,
  sql: Db,
  accountId: string,
  { values }: HandlerContext,
): RecordChange {
  const address = values.get(callerAddressKey);
  return recorder(deps, sql, accountId, { actor: { type: "operator" }, address });
}
