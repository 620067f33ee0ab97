/** leaveAccount: DELETE /accounts/{account_id}/membership. */
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";
import { endMembership } from "./remove-member.ts";

export const leaveAccount: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, userId } = membershipOf(request);
  await endMembership(deps, accountId, userId);
  return reply.code(204).send();
};
