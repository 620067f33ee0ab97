/** retrieveInvitation: GET /invitations/{token}. */
import { requireOpenInvitation, pathToken } from "../invitations.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const retrieveInvitation: DashboardOperation = (deps) => async (request) => {
  const row = await requireOpenInvitation(deps, pathToken(request));
  return {
    account_name: row.accountName,
    email: row.email,
    role: row.role,
    expires_at: row.expiresAt.toISOString(),
  } satisfies Schemas["InvitationPreview"];
};
