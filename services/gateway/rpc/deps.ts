/** How the RPCs record changes. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { callerAddressKey } from "#runtime/rpc/context.ts";
import { editorOf } from "../accounts/recorder.ts";
import type { DashboardDeps } from "../dashboard/session/sessions.ts";

export type Rpcs = Partial<ServiceImpl<typeof AccountService>>;

/** Changes an account as the operator who makes this call. */
export function byOperator(deps: DashboardDeps, sql: Db, accountId: string, call: HandlerContext) {
  const origin = { actor: "operator", address: call.values.get(callerAddressKey) } as const;
  return editorOf(deps, sql, accountId, origin);
}
