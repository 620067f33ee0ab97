/** The audit log of an account, in pages. */
import type { operations } from "#gen/openapi/dashboard.ts";
import { boundOf } from "../../domain/time.ts";
import { presentAuditEntry } from "../../edge/presenters/account.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { notInList } from "../../edge/operations/list.ts";
import {
  type AuditFilter,
  findAuditCursor,
  listAuditEntries as listRows,
} from "../../store/audit-log.ts";
import { membershipOf } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";

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

function filterOf({ action, actor, ...times }: Omit<ListQuery, "limit">): AuditFilter {
  const { created_after: after, created_before: before } = times;
  return {
    action,
    actor,
    from: after === undefined ? undefined : boundOf(after),
    to: before === undefined ? undefined : boundOf(before, 1),
  };
}
