/** removeMember: DELETE /accounts/{account_id}/members/{user_id}. */
import { Problem } from "../../problem.ts";
import { deleteMembership, lockOwners } from "../../store/memberships.ts";
import type { DashboardDeps } from "../deps.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const removeMember: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId } = membershipOf(request);
  const userId = prefixedPathId(request, "user_id", "usr");
  if (userId === undefined) throw new Problem("member_not_found");
  await endMembership(deps, accountId, userId);
  return reply.code(204).send();
};

/** Ends a user's membership. Throws when there is none, or when the user is the last owner. */
export async function endMembership(
  { sql }: Pick<DashboardDeps, "sql">,
  accountId: string,
  userId: string,
): Promise<void> {
  await sql.begin(async (transaction) => {
    const owners = await lockOwners(transaction, accountId);
    if (owners.length === 1 && owners[0] === userId) throw new Problem("last_owner");
    const isDeleted = await deleteMembership(transaction, accountId, userId);
    if (!isDeleted) throw new Problem("member_not_found");
  });
}
