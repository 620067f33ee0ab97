/** ListAccountRequests: what users have asked for and no operator has answered. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { listWaitingRequests } from "../store/account-requests.ts";
import { toAccountRequest } from "./account-request.ts";

export function listAccountRequests({
  sql,
}: AccountDeps): ServiceImpl<typeof AccountService>["listAccountRequests"] {
  return async ({ limit }) => {
    const rows = await listWaitingRequests(sql, limit);
    return { requests: rows.map((row) => toAccountRequest(row, row.accountName)) };
  };
}
