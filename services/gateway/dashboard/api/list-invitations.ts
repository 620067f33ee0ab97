/** listInvitations: GET /accounts/{account_id}/invitations. */
import { listOpenInvitations } from "../../store/invitations.ts";
import { membershipOf } from "../request-state.ts";
import { MOST_INVITATIONS } from "./create-invitation.ts";
import { onePage, publicInvitation } from "./operation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const listInvitations: DashboardOperation =
  ({ sql, clock }) =>
  async (request) => {
    const { account_id: accountId } = membershipOf(request);
    const rows = await listOpenInvitations(sql, accountId, clock.now(), MOST_INVITATIONS);
    return onePage(rows.map(publicInvitation)) satisfies Schemas["InvitationList"];
  };
