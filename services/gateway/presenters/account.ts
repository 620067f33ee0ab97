/** Presents an account to one of its members. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { MembershipRow } from "../store/memberships.ts";

export function presentAccount(row: MembershipRow): components["schemas"]["Account"] {
  return {
    id: row.accountId,
    object: "account",
    name: row.name,
    role: row.role,
    production_granted: row.productionGranted,
    suspended: row.suspendedAt !== null,
    created_at: row.createdAt.toISOString(),
  };
}
