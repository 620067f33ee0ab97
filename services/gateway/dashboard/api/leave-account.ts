/** leaveAccount: DELETE /accounts/{account_id}/membership. */
import { changeAccount } from "../change-account.ts";
import { endMembership } from "../end-membership.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const leaveAccount: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, userId } = membershipOf(request);
  await changeAccount(deps, request, async (sql, record) => {
    const { email, role } = await endMembership({ sql, record }, accountId, userId);
    await record({ action: "member.leave", target: userId, details: { email, role } });
  });
  deps.openStreams.recheck(userId);
  return reply.code(204).send();
};
