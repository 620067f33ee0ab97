/** Presents an open invitation to an account. */
import type { components } from "#gen/openapi/dashboard.ts";
import { presentCreator } from "./creator.ts";
import type { InvitationRow } from "../store/invitations.ts";

export function presentInvitation(row: InvitationRow): components["schemas"]["Invitation"] {
  return {
    id: row.id,
    object: "invitation",
    email: row.email,
    role: row.role,
    ...presentCreator(row),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  };
}
