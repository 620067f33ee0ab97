/** The RPCs on accounts, and on what their users ask operators for. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { HandlerContext } from "@connectrpc/connect";
import {
  AccountRequest_Kind as Kind,
  type AccountRequestSchema,
  type SetLimitsRequest,
  type AccountSchema,
} from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { invalidField, notFound } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { modeName } from "#vocabulary/names.ts";
import type { Change } from "../accounts/recorder.ts";
import { publicOf } from "../edge/operations/operation.ts";
import { byOperator, type Rpcs } from "./deps.ts";
import type { DashboardDeps } from "../dashboard/session/sessions.ts";
import * as store from "../store/store.ts";
import { UNDO_MS } from "../accounts/erase.ts";

/** Throws NOT_FOUND when there is no row. */
function toAccount(
  row: store.AccountRow | undefined,
  accountId: string,
): MessageInitShape<typeof AccountSchema> {
  if (!row) throw accountNotFound(accountId);
  return { ...fieldsOf(row), id: accountId, ...restorableUntil(row) };
}

/** Of an account or user; absent unless it is deleted. */
export function restorableUntil({ deletedAt }: { deletedAt: Date | null }) {
  return deletedAt ? { restorableUntil: timestampFromDate(addMs(deletedAt, UNDO_MS)) } : {};
}

export function notRestorable(field: string, name: string): Error {
  return invalidField(field, `"${name}" was deleted more than 30 days ago: that cannot be undone`);
}

export function accountNotFound(accountId: string): Error {
  return notFound("account_id", `there is no account "${accountId}": see "ops account list"`);
}

export function accountRpcs(deps: DashboardDeps) {
  const { sql, clock, newId, mailer, messages } = deps;
  /** Changes an account as it is now, with an entry in its audit log, in one transaction. */
  const change =
    <Request extends { accountId: string }>(
      action: Change["action"],
      changesOf: (account: store.AccountRow, request: Request) => store.AccountChanges,
      detailsOf: (request: Request) => NonNullable<Change["details"]> = () => ({}),
    ) =>
    (request: Request, context: HandlerContext) =>
      sql.begin(async (tx) => {
        const { accountId } = request;
        const found = await store.lockAccount(tx, accountId);
        if (!found) throw accountNotFound(accountId);
        const row = await store.updateAccount(tx, accountId, changesOf(found, request));
        const { record } = byOperator(deps, tx, accountId, context);
        await record({ action, details: detailsOf(request) });
        return { account: toAccount(row, accountId) };
      });
  return {
    createAccount({ name }, context) {
      const accountId = newId("acct");
      return sql.begin(async (tx) => {
        const row = await store.insertAccount(tx, accountId, name, clock.now());
        const { record } = byOperator(deps, tx, accountId, context);
        await record({ action: "account.create", details: { name } });
        return { account: toAccount(row, accountId) };
      });
    },
    async getAccount({ accountId }) {
      return { account: toAccount(await store.findAccount(sql, accountId), accountId) };
    },
    async listAccounts({ limit, after }) {
      const rows = await store.listAccounts(sql, after, limit + 1);
      return {
        accounts: rows.slice(0, limit).map((row) => toAccount(row, row.accountId)),
        hasMore: rows.length > limit,
      };
    },
    grantProduction: change("account.grant_production", () => ({ productionGranted: true })),
    suspendAccount: change("account.suspend", ({ suspendedAt }) => ({
      suspendedAt: suspendedAt ?? clock.now(),
    })),
    unsuspendAccount: change("account.unsuspend", () => ({ suspendedAt: null })),
    deleteAccount: change("account.delete", ({ deletedAt }) => ({
      deletedAt: deletedAt ?? clock.now(),
    })),
    restoreAccount: change("account.restore", ({ accountId, deletedAt, erasedAt }) => {
      if (!deletedAt) return {};
      if (!erasedAt && deletedAt > addMs(clock.now(), -UNDO_MS)) return { deletedAt: null };
      throw notRestorable("account_id", accountId);
    }),
    setLimits: change(
      "account.set_limits",
      (_account, request: SetLimitsRequest) => limitsOf(request),
      (request) => publicOf(limitsOf(request)),
    ),
    async recordAction({ accountId, action, target, mode, details, error }, context) {
      if (!(await store.findAccount(sql, accountId))) throw accountNotFound(accountId);
      await byOperator(deps, sql, accountId, context).record({
        action: action as store.AuditAction,
        details,
        ...(target === "" ? {} : { target }),
        ...(mode === undefined ? {} : { mode: modeName(mode) }),
        ...(error === "" ? {} : { error }),
      });
      return {};
    },
    async listActions({ accountId, limit, after }) {
      if (!(await store.findAccount(sql, accountId))) throw accountNotFound(accountId);
      const from =
        after === undefined ? undefined : await store.findAuditCursor(sql, accountId, after);
      if (after !== undefined && !from) throw notFound("after", `there is no action "${after}"`);
      const rows = await store.listAuditEntries(sql, accountId, {}, { from, limit: limit + 1 });
      return { actions: rows.slice(0, limit).map(fieldsOf), hasMore: rows.length > limit };
    },
    async listAccountRequests({ limit }) {
      const rows = await store.listWaitingRequests(sql, limit);
      return { requests: rows.map((row) => toAccountRequest(row, row.accountName)) };
    },
    async answerAccountRequest({ accountId, requestId, approved, answer }, context) {
      const { row, name } = await sql.begin(async (tx) => {
        const account = await store.lockAccount(tx, accountId);
        const decision: "approved" | "refused" = approved ? "approved" : "refused";
        const decided = { decision, answer, decidedAt: clock.now() };
        const found = await store.decideRequestIfWaiting(tx, accountId, requestId, decided);
        if (!found) {
          const message = `no request "${requestId}" of this account waits for an answer`;
          throw notFound("request_id", message);
        }
        const { record } = byOperator(deps, tx, accountId, context);
        const details = { kind: found.kind, tokens: found.tokens?.toString(), decision };
        await record({ action: "request.answer", target: requestId, details });
        if (approved && found.kind === "production") {
          await store.updateAccount(tx, accountId, { productionGranted: true });
          await record({ action: "account.grant_production" });
        }
        return { row: found, name: account?.name ?? "" };
      });
      mailer.send(row.email, messages.requestAnswered(row));
      return { request: toAccountRequest(row, name) };
    },
  } satisfies Rpcs;
}

function limitsOf({ createsPerMinute, readsPerMinute, maxUnfinished }: SetLimitsRequest) {
  return { createsPerMinute, readsPerMinute, maxUnfinished };
}

function toAccountRequest(
  row: store.AccountRequestRow,
  accountName: string,
): MessageInitShape<typeof AccountRequestSchema> {
  const kind = row.kind === "production" ? Kind.PRODUCTION : Kind.TOKENS;
  return { ...fieldsOf(row), accountName, kind };
}
