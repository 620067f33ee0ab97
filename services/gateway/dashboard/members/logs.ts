/** The request log, with the names of keys, and the audit log. */
import { pageOfRequests } from "../../edge/operations/requests.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import { findKeyNames } from "../../store/api-keys.ts";
import { type DashboardOperation, membershipOf, type Schemas } from "../session/sessions.ts";
import type { operations } from "#gen/openapi/dashboard.ts";
import { boundOf } from "../../domain/time.ts";
import { presentAuditEntry } from "../../edge/presenters/account.ts";
import { notInList } from "../../edge/operations/operation.ts";
import {
  type AuditFilter,
  findAuditCursor,
  listAuditEntries as listRows,
} from "../../store/audit-log.ts";

export const listRequestLog: DashboardOperation = (deps) => async (request) => {
  const { data, has_more: hasMore } = await pageOfRequests(deps, request);
  const ids = data.map(({ key_id: keyId }) => keyId);
  const names = await findKeyNames(deps.sql, callerOf(request).accountId, ids);
  const entries = data.map((one) => {
    const name = names.get(one.key_id);
    return { request: one, ...(name ? { key_name: name } : {}) };
  });
  return presentPage(entries, hasMore) satisfies Schemas["RequestLog"];
};

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
