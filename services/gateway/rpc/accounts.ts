/** The RPCs on accounts, and on what their users ask operators for. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  AccountRequest_Kind as Kind,
  type AccountRequestSchema,
  type AccountSchema,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { addMs } from "#runtime/clock.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Change } from "../accounts/recorder.ts";
import { operatorRecorder, type RpcDeps, type Rpcs } from "./deps.ts";
import {
  decideRequestIfWaiting,
  findAccount,
  insertAccount,
  listAccounts,
  listWaitingRequests,
  lockAccount,
  type AccountRequestRow,
  type AccountRow,
  updateAccount,
} from "../store/accounts.ts";
import type { AuditAction } from "../store/audit-log.ts";
import { UNDO_MS } from "../accounts/erase.ts";

/** Throws NOT_FOUND when there is no row. */
function toAccount(
  row: AccountRow | undefined,
  accountId: string,
): MessageInitShape<typeof AccountSchema> {
  if (!row) throw accountNotFound(accountId);
  return {
    id: row.accountId,
    name: row.name,
    productionGranted: row.productionGranted,
    createsPerMinute: row.createsPerMinute,
    readsPerMinute: row.readsPerMinute,
    maxUnfinished: row.maxUnfinished,
    createdAt: timestampFromDate(row.createdAt),
    ...(row.suspendedAt && { suspendedAt: timestampFromDate(row.suspendedAt) }),
    ...restorableUntil(row),
    ...(row.erasedAt && { erasedAt: timestampFromDate(row.erasedAt) }),
  };
}

/** Of an account or user; absent unless it is deleted. */
export function restorableUntil({ deletedAt }: { deletedAt: Date | null }) {
  return deletedAt ? { restorableUntil: timestampFromDate(addMs(deletedAt, UNDO_MS)) } : {};
}

export function notRestorable(field: string, name: string): Error {
  return refusal({
    reason: ErrorReason.INVALID_FIELD,
    field,
    message: `"${name}" was deleted more than 30 days ago: that cannot be undone`,
  });
}

export function accountNotFound(accountId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "account_id",
    message: `there is no account "${accountId}"`,
  });
}

export function accountRpcs(deps: RpcDeps) {
  const { sql, clock, newId } = deps;
  /** Changes an account, with an entry in its audit log, in one transaction. */
  const change = (
    accountId: string,
    context: HandlerContext,
    entry: Change,
    work: (tx: Db) => Promise<AccountRow | undefined>,
  ) =>
    sql.begin(async (tx) => {
      const account = toAccount(await work(tx), accountId);
      await operatorRecorder(deps, tx, accountId, context)(entry);
      return { account };
    });
  return {
    createAccount({ name }, context) {
      const accountId = newId("acct");
      const entry = { action: "account.create", details: { name } } as const;
      return change(accountId, context, entry, (tx) =>
        insertAccount(tx, accountId, name, clock.now()),
      );
    },
    async getAccount({ accountId }) {
      return { account: toAccount(await findAccount(sql, accountId), accountId) };
    },
    async listAccounts({ limit, after }) {
      const rows = await listAccounts(sql, after, limit + 1);
      return {
        accounts: rows.slice(0, limit).map((row) => toAccount(row, row.accountId)),
        hasMore: rows.length > limit,
      };
    },
    grantProduction: ({ accountId }, context) =>
      change(accountId, context, { action: "account.grant_production" }, (tx) =>
        updateAccount(tx, accountId, { productionGranted: true }),
      ),
    suspendAccount: ({ accountId }, context) =>
      change(accountId, context, { action: "account.suspend" }, async (tx) => {
        await lockAccount(tx, accountId);
        const suspendedAt = (await findAccount(tx, accountId))?.suspendedAt ?? clock.now();
        return updateAccount(tx, accountId, { suspendedAt });
      }),
    deleteAccount: ({ accountId }, context) =>
      change(accountId, context, { action: "account.delete" }, async (tx) => {
        await lockAccount(tx, accountId);
        const deletedAt = (await findAccount(tx, accountId))?.deletedAt ?? clock.now();
        return updateAccount(tx, accountId, { deletedAt });
      }),
    restoreAccount: ({ accountId }, context) =>
      change(accountId, context, { action: "account.restore" }, async (tx) => {
        await lockAccount(tx, accountId);
        const { deletedAt, erasedAt } = (await findAccount(tx, accountId)) ?? {};
        if (!deletedAt) return updateAccount(tx, accountId, { suspendedAt: null });
        if (erasedAt || deletedAt <= addMs(clock.now(), -UNDO_MS)) {
          throw notRestorable("account_id", accountId);
        }
        return updateAccount(tx, accountId, { deletedAt: null });
      }),
    setLimits({ accountId, createsPerMinute, readsPerMinute, maxUnfinished }, context) {
      const details = {
        creates_per_minute: createsPerMinute,
        reads_per_minute: readsPerMinute,
        max_unfinished: maxUnfinished,
      };
      const limits = { createsPerMinute, readsPerMinute, maxUnfinished };
      return change(accountId, context, { action: "account.set_limits", details }, (tx) =>
        updateAccount(tx, accountId, limits),
      );
    },
    async recordAction({ accountId, action, target, mode, details, error }, context) {
      if (!(await findAccount(sql, accountId))) throw accountNotFound(accountId);
      const record = operatorRecorder(deps, sql, accountId, context);
      await record({
        action: action as AuditAction,
        details,
        ...(target === "" ? {} : { target }),
        ...(mode === undefined ? {} : { mode: modeName(mode) }),
        ...(error === "" ? {} : { error }),
      });
      return {};
    },
  } satisfies Rpcs;
}

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

export function requestRpcs(deps: RpcDeps) {
  const { mailer, messages } = deps;
  return {
    async listAccountRequests({ limit }) {
      const rows = await listWaitingRequests(deps.sql, limit);
      return { requests: rows.map((row) => toAccountRequest(row, row.accountName)) };
    },
    async answerAccountRequest({ accountId, requestId, approved, answer }, context) {
      const { row, name } = await deps.sql.begin(async (sql) => {
        await lockAccount(sql, accountId);
        const decision: "approved" | "refused" = approved ? "approved" : "refused";
        const decided = { accountId, id: requestId, decision, answer, at: deps.clock.now() };
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
  } satisfies Rpcs;
}

function noSuchRequest(requestId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "request_id",
    message: `no request "${requestId}" of this account waits for an answer`,
  });
}
