/** updateMember: PATCH /accounts/{account_id}/members/{user_id}. */
import { presentMember } from "../../presenters/member.ts";
import { Problem } from "../../problem.ts";
import { findMember, listOwners, setMemberRole } from "../../store/memberships.ts";
import { changeAccount } from "../change-account.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const updateMember: DashboardOperation = (deps) => async (request) => {
  const { role } = request.body as Schemas["RoleRequest"];
  const { accountId } = membershipOf(request);
  const userId = prefixedPathId(request, "user_id", "usr");
  if (userId === undefined) throw new Problem("member_not_found");
  const member = await changeAccount(deps, request, async (transaction, record) => {
    const owners = await listOwners(transaction, accountId);
    const found = await findMember(transaction, accountId, userId);
    if (!found) throw new Problem("member_not_found");
    if (role !== "owner" && owners.length === 1 && owners[0] === userId) {
      throw new Problem("last_owner");
    }
    await setMemberRole(transaction, accountId, userId, role);
    const details = { email: found.email, from: found.role, to: role };
    await record({ action: "member.change_role", target: userId, details });
    return { ...found, role };
  });
  return presentMember(member);
};
