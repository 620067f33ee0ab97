/** listAuditEntries: GET /accounts/{account_id}/audit-log. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { presentAuditEntry } from "../../edge/presenters/account.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { Problem } from "../../edge/http/problem.ts";
import { findAuditCursor, listAuditEntries as listRows } from "../../store/audit-log.ts";
import { membershipOf } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";

type Query = NonNullable<operations["listAuditEntries"]["parameters"]["query"]> & { limit: number };

export const listAuditEntries: DashboardOperation =
  ({ sql }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const { limit, after: id, ...filter } = request.query as Query;
    const after = id === undefined ? undefined : await findAuditCursor(sql, accountId, id);
    if (id !== undefined && !after) {
      const message = "after is not an id of this list. Send the last id of the page before.";
      throw new Problem("invalid_value", { message, param: "after" });
    }
    const rows = await listRows(sql, accountId, filter, { after, limit: limit + 1 });
    return presentPage(
      rows.slice(0, limit).map(presentAuditEntry),
      rows.length > limit,
    ) satisfies Schemas["AuditEntryList"];
  };
