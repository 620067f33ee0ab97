/** acceptInvitation: POST /invitations/{token}/accept. */
import { presentAccount } from "../../presenters/account.ts";
import { Problem } from "../../problem.ts";
import { deleteInvitation } from "../../store/invitations.ts";
import type { InvitationRow } from "../../store/invitations.ts";
import { findMembership, insertMembership } from "../../store/memberships.ts";
import type { DashboardDeps } from "../deps.ts";
import { requireOpenInvitation, pathToken } from "../invitations.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const acceptInvitation: DashboardOperation = (deps) => async (request) => {
  const user = userOf(request);
  const invitation = await requireOpenInvitation(deps, pathToken(request));
  if (invitation.email !== user.email.toLowerCase()) throw new Problem("wrong_invitee");
  const hasJoined = await joinAccount(deps, invitation, user.id);
  if (!hasJoined) throw new Problem("invitation_not_found");
  const membership = await findMembership(deps.sql, invitation.accountId, user.id);
  if (!membership) throw new Problem("invitation_not_found");
  return presentAccount(membership);
};

/** Makes the user a member; false when the invitation was used or withdrawn in the meantime. */
export function joinAccount(
  { sql, clock }: Pick<DashboardDeps, "sql" | "clock">,
  { accountId, id, role }: InvitationRow,
  userId: string,
): Promise<boolean> {
  return sql.begin(async (transaction) => {
    const isConsumed = await deleteInvitation(transaction, accountId, id);
    if (isConsumed) await insertMembership(transaction, accountId, userId, role, clock.now());
    return isConsumed;
  });
}
