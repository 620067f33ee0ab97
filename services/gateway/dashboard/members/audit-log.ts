/** The audit log of an account, in pages and as a file. */
import type { operations } from "#gen/openapi/dashboard.ts";
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
import { csvLine } from "#runtime/csv.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { sendCsv } from "../session/csv-download.ts";

type ListQuery = NonNullable<operations["listAuditEntries"]["parameters"]["query"]> & {
  limit: number;
};

/** listAuditEntries: GET /accounts/{account_id}/audit-log. */
export const listAuditEntries: DashboardOperation =
  ({ sql }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const { limit, after: id, ...filter } = request.query as ListQuery;
    const after = id === undefined ? undefined : await findAuditCursor(sql, accountId, id);
    if (id !== undefined && !after) throw notInList();
    const rows = await listRows(sql, accountId, filter, { after, limit: limit + 1 });
    return presentPage(
      rows.slice(0, limit).map(presentAuditEntry),
      rows.length > limit,
    ) satisfies Schemas["AuditEntryList"];
  };

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
];

type DownloadQuery = NonNullable<operations["downloadAuditLog"]["parameters"]["query"]>;

/** downloadAuditLog: GET /accounts/{account_id}/audit-log.csv. */
export const downloadAuditLog: DashboardOperation =
  ({ sql }) =>
  async (request, reply) => {
    const { accountId } = membershipOf(request);
    const lines = csvPages(sql, accountId, request.query as DownloadQuery);
    return sendCsv(request, reply, "audit-log.csv", lines);
  };

async function* csvPages(
  sql: Db,
  accountId: string,
  filter: AuditFilter,
): AsyncGenerator<string, void> {
  let header = csvLine(COLUMNS);
  let after: AuditCursor | undefined;
  do {
    const rows = await listRows(sql, accountId, filter, { after, limit: PAGE_SIZE });
    yield header + rows.map(lineOf).join("");
    header = "";
    after = rows.length === PAGE_SIZE ? rows.at(-1) : undefined;
  } while (after !== undefined);
}

function lineOf(row: AuditRow): string {
  const details = Object.keys(row.details).length === 0 ? "" : JSON.stringify(row.details);
  const who = [row.actor, row.userId, row.email, row.address];
  const what = [row.action, row.target, row.mode, details, row.error];
  return csvLine([row.at.toISOString(), row.id, ...who, ...what]);
}
