/** acceptInvitation: POST /invitations/{token}/accept. */
import { recorder } from "../../audit/recorder.ts";
import { presentAccount } from "../../presenters/account.ts";
import { Problem } from "../../problem.ts";
import { deleteInvitation } from "../../store/invitations.ts";
import type { InvitationRow } from "../../store/invitations.ts";
import { findMembership, insertMembership } from "../../store/memberships.ts";
import { originOf } from "../change-account.ts";
import { setEmailVerified } from "../../store/users.ts";
import type { DashboardDeps } from "../deps.ts";
import { isMailed, pathToken, requireOpenInvitation } from "../invitations.ts";
import { userOf } from "../request-state.ts";
import type { SignedInUser } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const acceptInvitation: DashboardOperation = (deps) => async (request) => {
  const user = userOf(request);
  const token = pathToken(request);
  const invitation = await requireOpenInvitation(deps, token);
  if (invitation.email !== user.email.toLowerCase()) throw new Problem("wrong_invitee");
  const hasJoined = await joinAccount(deps, invitation, user, request.ip);
  if (!hasJoined) throw new Problem("invitation_not_found");
  if (isMailed(token)) await setEmailVerified(deps.sql, user.id);
  const membership = await findMembership(deps.sql, invitation.accountId, user.id);
  if (!membership) throw new Problem("invitation_not_found");
  return presentAccount(membership);
};

/** Makes the user a member; false when the invitation was used or withdrawn in the meantime. */
export function joinAccount(
  deps: Pick<DashboardDeps, "sql" | "newId" | "clock">,
  { accountId, id, role }: Pick<InvitationRow, "accountId" | "id" | "role">,
  user: Pick<SignedInUser, "id" | "email">,
  address: string,
): Promise<boolean> {
  return deps.sql.begin(async (sql) => {
    const deleted = await deleteInvitation(sql, accountId, id);
    if (!deleted) return false;
    await insertMembership(sql, accountId, user.id, role, deps.clock.now());
    const record = recorder(deps, sql, accountId, originOf(user, address));
    await record({ action: "member.join", target: user.id, details: { email: user.email, role } });
    return true;
  });
}
