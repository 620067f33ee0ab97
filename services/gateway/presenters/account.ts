/** Presents an account to one of its members. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { MembershipRow } from "../store/memberships.ts";

export function presentAccount(row: MembershipRow): components["schemas"]["Account"] {
  return {
    id: row.account_id,
    object: "account",
    name: row.name,
    role: row.role,
    production_granted: row.production_granted,
    suspended: row.suspended_at !== null,
    created_at: row.created_at.toISOString(),
  };
}
