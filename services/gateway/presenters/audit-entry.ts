/** Presents an entry of the audit log. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { AuditRow } from "../store/audit-log.ts";

export function presentAuditEntry(row: AuditRow): components["schemas"]["AuditEntry"] {
  const { actor: type, userId, email, target, mode, address, details, error } = row;
  const user = userId === null || email === null ? {} : { user_id: userId, email };
  return {
    id: row.id,
    object: "audit_entry",
    created_at: row.at.toISOString(),
    actor: { type, ...user },
    action: row.action,
    ...(target === null ? {} : { target }),
    ...(mode === null ? {} : { mode }),
    ...(address === null ? {} : { address }),
    ...(Object.keys(details).length === 0 ? {} : { details }),
    ...(error === null ? {} : { error }),
  };
}
