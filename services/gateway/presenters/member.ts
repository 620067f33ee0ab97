/** Presents a member of an account. */
import type { components } from "#gen/openapi/dashboard.ts";
import type { MemberRow } from "../store/memberships.ts";

export function presentMember(row: MemberRow): components["schemas"]["Member"] {
  return {
    user_id: row.userId,
    object: "member",
    name: row.name,
    email: row.email,
    role: row.role,
    joined_at: row.joinedAt.toISOString(),
  };
}
