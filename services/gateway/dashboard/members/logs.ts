/** The request log, with the names of keys, and the audit log. */
import { pageOfRequests } from "../../edge/operations/requests.ts";
import { callerOf } from "../../edge/http/request-state.ts";
import * as store from "../../store/store.ts";
import { type DashboardOperation, membershipOf, type Schemas } from "../session/sessions.ts";
import type { operations } from "#gen/openapi/dashboard.ts";
import { boundsOf } from "../../domain/time.ts";
import { notInList, presentPage, publicOf } from "../../edge/operations/operation.ts";

export const listRequestLog: DashboardOperation = async (call) => {
  const { data, has_more: hasMore } = await pageOfRequests(call);
  const { accountId } = callerOf(call.request);
  const ids = data.map(({ key_id: keyId }) => keyId);
  const names = await store.findKeyNames(call.deps.sql, accountId, ids);
  const entries = data.map((one) => {
    const name = names.get(one.key_id);
    return { request: one, ...(name ? { key_name: name } : {}) };
  });
  return presentPage(entries, hasMore) satisfies Schemas["RequestLog"];
};

type ListQuery = NonNullable<operations["listAuditEntries"]["parameters"]["query"]> & {
  limit: number;
};

export const listAuditEntries: DashboardOperation = async ({ deps: { sql }, request }) => {
  const { accountId } = membershipOf(request);
  const { limit, after, action, actor, ...times } = request.query as ListQuery;
  const from = after === undefined ? undefined : await store.findAuditCursor(sql, accountId, after);
  if (after !== undefined && !from) throw notInList();
  const filter = { action, actor, ...boundsOf(times) };
  const rows = await store.listAuditEntries(sql, accountId, filter, { from, limit: limit + 1 });
  return presentPage(rows.slice(0, limit).map(presentAuditEntry), rows.length > limit);
};

function presentAuditEntry(row: store.AuditRow): Schemas["AuditEntry"] {
  const { actor: type, userId, email, details, ...rest } = row;
  const user = userId === null || email === null ? {} : { user_id: userId, email };
  return {
    ...publicOf(rest),
    object: "audit_entry",
    created_at: row.at.toISOString(),
    actor: { type, ...user },
    ...(Object.keys(details).length === 0 ? {} : { details }),
  };
}
