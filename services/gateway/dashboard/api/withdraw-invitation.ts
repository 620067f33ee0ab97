/** withdrawInvitation: DELETE /accounts/{account_id}/invitations/{invitation_id}. */
import { Problem } from "../../problem.ts";
import { deleteInvitation } from "../../store/invitations.ts";
import { changeAccount } from "../change-account.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const withdrawInvitation: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "invitation_id", "inv");
  await changeAccount(deps, request, async (sql, record) => {
    const deleted = id && (await deleteInvitation(sql, accountId, id));
    if (!deleted) throw new Problem("invitation_not_found");
    const { email, role } = deleted;
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  });
  return reply.code(204).send();
};
