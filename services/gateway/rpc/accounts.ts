/** The RPCs on accounts. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { AccountSchema, AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import {
  insertAccount,
  findAccount,
  listAccounts as listRows,
  grantAccountProduction,
  suspendAccount as suspend,
  setAccountLimits,
  type AccountRow,
} from "../store/accounts.ts";
import type { AuditAction } from "../store/audit-log.ts";
import { modeName } from "#vocabulary/names.ts";
import type { ServiceImpl } from "@connectrpc/connect";
import { type AccountDeps, operatorRecorder } from "./deps.ts";

/** Throws NOT_FOUND when there is no row. */
export function toAccount(
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
    ...(row.suspendedAt === null ? {} : { suspendedAt: timestampFromDate(row.suspendedAt) }),
  };
}

export function accountNotFound(accountId: string): Error {
  return refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "account_id",
    message: `there is no account "${accountId}"`,
  });
}

export function createAccount(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["createAccount"] {
  return ({ name }, context) =>
    deps.sql.begin(async (sql) => {
      const accountId = deps.newId("acct");
      const row = await insertAccount(sql, accountId, name, deps.clock.now());
      const record = operatorRecorder(deps, sql, accountId, context);
      await record({ action: "account.create", details: { name } });
      return { account: toAccount(row, accountId) };
    });
}

export function getAccount({ sql }: AccountDeps): ServiceImpl<typeof AccountService>["getAccount"] {
  return async ({ accountId }) => ({
    account: toAccount(await findAccount(sql, accountId), accountId),
  });
}

export function listAccounts({
  sql,
}: AccountDeps): ServiceImpl<typeof AccountService>["listAccounts"] {
  return async ({ limit, after }) => {
    const rows = await listRows(sql, after, limit + 1);
    return {
      accounts: rows.slice(0, limit).map((row) => toAccount(row, row.accountId)),
      hasMore: rows.length > limit,
    };
  };
}

export function grantProduction(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["grantProduction"] {
  return ({ accountId }, context) =>
    deps.sql.begin(async (sql) => {
      const account = toAccount(await grantAccountProduction(sql, accountId), accountId);
      await operatorRecorder(deps, sql, accountId, context)({ action: "account.grant_production" });
      return { account };
    });
}

export function suspendAccount(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["suspendAccount"] {
  return ({ accountId }, context) =>
    deps.sql.begin(async (sql) => {
      const account = toAccount(await suspend(sql, accountId, deps.clock.now()), accountId);
      await operatorRecorder(deps, sql, accountId, context)({ action: "account.suspend" });
      return { account };
    });
}

export function restoreAccount(
  deps: AccountDeps,
): ServiceImpl<typeof AccountService>["restoreAccount"] {
  return ({ accountId }, context) =>
    deps.sql.begin(async (sql) => {
      const account = toAccount(await suspend(sql, accountId, null), accountId);
      await operatorRecorder(deps, sql, accountId, context)({ action: "account.restore" });
      return { account };
    });
}

export function setLimits(deps: AccountDeps): ServiceImpl<typeof AccountService>["setLimits"] {
  return ({ accountId, createsPerMinute, readsPerMinute, maxUnfinished }, context) =>
    deps.sql.begin(async (sql) => {
      const limits = { createsPerMinute, readsPerMinute, maxUnfinished };
      const account = toAccount(await setAccountLimits(sql, accountId, limits), accountId);
      await operatorRecorder(
        deps,
        sql,
        accountId,
        context,
      )({
        action: "account.set_limits",
        details: {
          creates_per_minute: createsPerMinute,
          reads_per_minute: readsPerMinute,
          max_unfinished: maxUnfinished,
        },
      });
      return { account };
    });
}

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
