/** listInvitations: GET /accounts/{account_id}/invitations. */
import { presentInvitation } from "../../presenters/invitation.ts";
import { presentWholeList } from "../../presenters/page.ts";
import { listOpenInvitations } from "../../store/invitations.ts";
import { membershipOf } from "../request-state.ts";
import { MAX_INVITATIONS } from "./create-invitation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const listInvitations: DashboardOperation =
  ({ sql, clock }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const rows = await listOpenInvitations(sql, accountId, clock.now(), MAX_INVITATIONS);
    return presentWholeList(rows.map(presentInvitation)) satisfies Schemas["InvitationList"];
  };
