/** removeMember: DELETE /accounts/{account_id}/members/{user_id}. */
import { Problem } from "../../problem.ts";
import { revokeKeysOf } from "../../store/account-keys.ts";
import { changeAccount } from "../change-account.ts";
import { endMembership } from "../end-membership.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const removeMember: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId } = membershipOf(request);
  const { keys } = request.query as { keys: "keep" | "revoke" };
  const userId = prefixedPathId(request, "user_id", "usr");
  if (userId === undefined) throw new Problem("member_not_found");
  await changeAccount(deps, request, async (sql, record) => {
    const { email, role } = await endMembership({ sql, record }, accountId, userId);
    await record({ action: "member.remove", target: userId, details: { email, role } });
    if (keys !== "revoke") return;
    for (const { id, mode, name } of await revokeKeysOf(sql, accountId, userId, deps.clock.now())) {
      await record({ action: "key.revoke", target: id, mode, details: { name } });
    }
  });
  deps.openStreams.recheck(userId);
  return reply.code(204).send();
};
