/** downloadAuditLog: GET /accounts/{account_id}/audit-log.csv. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { csvLine } from "#runtime/csv.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import {
  listAuditEntries,
  type AuditCursor,
  type AuditFilter,
  type AuditRow,
} from "../../store/audit-log.ts";
import { sendCsv } from "../session/csv-download.ts";
import { membershipOf } from "../session/request-state.ts";
import type { DashboardOperation } from "../session/operation.ts";

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

type Query = NonNullable<operations["downloadAuditLog"]["parameters"]["query"]>;

export const downloadAuditLog: DashboardOperation =
  ({ sql }) =>
  async (request, reply) => {
    const { accountId } = membershipOf(request);
    const lines = csvPages(sql, accountId, request.query as Query);
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
    const rows = await listAuditEntries(sql, accountId, filter, { after, limit: PAGE_SIZE });
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
