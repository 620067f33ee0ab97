/** The RPCs on what users ask operators for. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  AccountRequest_Kind as Kind,
  type AccountRequestSchema,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import {
  listWaitingRequests,
  decideRequestIfWaiting,
  type AccountRequestRow,
} from "../store/account-requests.ts";
import { operatorRecorder, type RequestDeps, type Rpcs } from "./deps.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { findAccount, lockAccount, updateAccount } from "../store/accounts.ts";

function toAccountRequest(
  row: AccountRequestRow,
  accountName: string,
): MessageInitShape<typeof AccountRequestSchema> {
  return {
    accountId: row.accountId,
    id: row.id,
    accountName,
    kind: row.kind === "production" ? Kind.PRODUCTION : Kind.TOKENS,
    ...(row.tokens === null ? {} : { tokens: row.tokens }),
    message: row.message,
    email: row.email,
    createdAt: timestampFromDate(row.createdAt),
  };
}

export function requestRpcs(
  deps: RequestDeps,
): Rpcs<"listAccountRequests" | "answerAccountRequest"> {
  const { mailer, messages } = deps;
  return {
    async listAccountRequests({ limit }) {
      const rows = await listWaitingRequests(deps.sql, limit);
      return { requests: rows.map((row) => toAccountRequest(row, row.accountName)) };
    },
    async answerAccountRequest({ accountId, requestId, approved, answer }, context) {
      const { row, name } = await deps.sql.begin(async (sql) => {
        await lockAccount(sql, accountId);
        const decision = approved ? "approved" : "refused";
        const decided = {
          accountId,
          id: requestId,
          decision,
          answer,
          at: deps.clock.now(),
        } as const;
        const found = await decideRequestIfWaiting(sql, decided);
        if (!found) throw noSuchRequest(requestId);
        const record = operatorRecorder(deps, sql, accountId, context);
        const details = { kind: found.kind, tokens: found.tokens?.toString(), decision };
        await record({ action: "request.answer", target: requestId, details });
        if (approved && found.kind === "production") {
          await updateAccount(sql, accountId, { productionGranted: true });
          await record({ action: "account.grant_production" });
        }
        return { row: found, name: (await findAccount(sql, accountId))?.name ?? "" };
      });
      mailer.send(row.email, messages.requestAnswered({ ...row, isApproved: approved }));
      return { request: toAccountRequest(row, name) };
    },
  };
}

function noSuchRequest(requestId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "request_id",
    message: `no request "${requestId}" of this account waits for an answer`,
  });
}
