/** removeMember: DELETE /accounts/{account_id}/members/{user_id}. */
import { Problem } from "../../problem.ts";
import { deleteMembership, lockOwners } from "../../store/memberships.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const removeMember: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, role, userId: self } = membershipOf(request);
  const userId = prefixedPathId(request, "user_id", "usr");
  if (role !== "owner" && userId !== self) throw new Problem("owner_required");
  if (userId === undefined) throw new Problem("member_not_found");
  await deps.sql.begin(async (transaction) => {
    const owners = await lockOwners(transaction, accountId);
    if (owners.length === 1 && owners[0] === userId) throw new Problem("last_owner");
    const isDeleted = await deleteMembership(transaction, accountId, userId);
    if (!isDeleted) throw new Problem("member_not_found");
  });
  return reply.code(204).send();
};
