/** AnswerAccountRequest: approves or refuses what a user has asked for, and tells the user by mail. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { RequestDeps } from "../deps.ts";
import { decideRequestIfWaiting } from "../store/account-requests.ts";
import { findAccount, grantAccountProduction, lockAccount } from "../store/accounts.ts";
import { toAccountRequest } from "./account-request.ts";
import { operatorRecorder } from "./record-change.ts";

export function answerAccountRequest(
  deps: RequestDeps,
): ServiceImpl<typeof AccountService>["answerAccountRequest"] {
  const { mailer, messages } = deps;
  return async ({ accountId, requestId, approved, answer }, context) => {
    const { row, name } = await deps.sql.begin(async (sql) => {
      await lockAccount(sql, accountId);
      const decision = approved ? "approved" : "refused";
      const decided = { accountId, id: requestId, decision, answer, at: deps.clock.now() } as const;
      const found = await decideRequestIfWaiting(sql, decided);
      if (!found) throw noSuchRequest(requestId);
      const record = operatorRecorder(deps, sql, accountId, context);
      const details = { kind: found.kind, tokens: found.tokens?.toString(), decision };
      await record({ action: "request.answer", target: requestId, details });
      if (approved && found.kind === "production") {
        await grantAccountProduction(sql, accountId);
        await record({ action: "account.grant_production" });
      }
      return { row: found, name: (await findAccount(sql, accountId))?.name ?? "" };
    });
    mailer.send(row.email, messages.requestAnswered({ ...row, isApproved: approved }));
    return { request: toAccountRequest(row, name) };
  };
}

function noSuchRequest(requestId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "request_id",
    message: `no request "${requestId}" of this account waits for an answer`,
  });
}
