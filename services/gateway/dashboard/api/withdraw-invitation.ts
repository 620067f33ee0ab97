/** withdrawInvitation: DELETE /accounts/{account_id}/invitations/{invitation_id}. */
import { Problem } from "../../problem.ts";
import { deleteInvitation } from "../../store/invitations.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const withdrawInvitation: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "invitation_id", "inv");
  const isDeleted = id !== undefined && (await deleteInvitation(deps.sql, accountId, id));
  if (!isDeleted) throw new Problem("invitation_not_found");
  return reply.code(204).send();
};
