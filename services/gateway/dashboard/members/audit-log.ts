/** The audit log of an account, in pages and as a file. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { boundOf } from "../../domain/time.ts";
import { presentAuditEntry } from "../../edge/presenters/account.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { notInList } from "../../edge/operations/list.ts";
import {
  type AuditCursor,
  type AuditFilter,
  type AuditRow,
  findAuditCursor,
  listAuditEntries as listRows,
} from "../../store/audit-log.ts";
import { membershipOf } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { sendCsv } from "../session/csv-download.ts";

type ListQuery = NonNullable<operations["listAuditEntries"]["parameters"]["query"]> & {
  limit: number;
};

export const listAuditEntries: DashboardOperation =
  ({ sql }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const { limit, after: id, ...query } = request.query as ListQuery;
    const after = id === undefined ? undefined : await findAuditCursor(sql, accountId, id);
    if (id !== undefined && !after) throw notInList();
    const rows = await listRows(sql, accountId, filterOf(query), { after, limit: limit + 1 });
    return presentPage(
      rows.slice(0, limit).map(presentAuditEntry),
      rows.length > limit,
    ) satisfies Schemas["AuditEntryList"];
  };

function filterOf({ action, actor, ...times }: DownloadQuery): AuditFilter {
  const { created_after: after, created_before: before } = times;
  return {
    action,
    actor,
    from: after === undefined ? undefined : boundOf(after),
    to: before === undefined ? undefined : boundOf(before, 1),
  };
}

const PAGE_SIZE = 500;
const COLUMNS = [
  "created_at",
  "id",
  "actor",
  "user_id",
  "email",
  "address",
  "action",
  "target",
  "mode",
  "details",
  "error",
] as const;

type DownloadQuery = NonNullable<operations["downloadAuditLog"]["parameters"]["query"]>;

export const downloadAuditLog: DashboardOperation =
  ({ sql }) =>
  async (request, reply) => {
    const { accountId } = membershipOf(request);
    const filter = filterOf(request.query as DownloadQuery);
    return sendCsv(request, reply, "audit-log.csv", COLUMNS, async (after?: AuditCursor) => {
      const rows = await listRows(sql, accountId, filter, { after, limit: PAGE_SIZE });
      return { rows: rows.map(lineOf), next: rows[PAGE_SIZE - 1] };
    });
  };

function lineOf({ at, userId, details, ...row }: AuditRow) {
  const isEmpty = Object.keys(details).length === 0;
  return {
    ...row,
    created_at: at.toISOString(),
    user_id: userId,
    details: isEmpty ? "" : JSON.stringify(details),
  };
}
