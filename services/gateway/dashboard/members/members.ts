/** Operations on the members of an account. */
import { presentMember } from "../../edge/presenters/account.ts";
import { presentWholeList } from "../../edge/presenters/page.ts";
import {
  listAccountMembers,
  findMember,
  listOwners,
  setMemberRole,
  deleteMembership,
  type MemberRow,
} from "../../store/memberships.ts";
import { membershipOf, prefixedPathId } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";
import { Problem } from "../../edge/http/problem.ts";
import { changeAccount } from "../session/change-account.ts";
import { revokeKeysOf } from "../../store/account-keys.ts";
import { reauthenticate } from "../session/reauthenticate.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { withdrawInvitationsOf } from "../../accounts/invitations.ts";
import type { RecordChange } from "../../accounts/recorder.ts";

const MAX_MEMBERS = 1_000;

export const listMembers: DashboardOperation = (deps) => async (request) => {
  const members = await listAccountMembers(deps.sql, membershipOf(request).accountId, MAX_MEMBERS);
  return presentWholeList(members.map(presentMember)) satisfies Schemas["MemberList"];
};

export const updateMember: DashboardOperation = (deps) => async (request) => {
  const { role, current_password: password } = request.body as Schemas["RoleRequest"];
  const { accountId } = membershipOf(request);
  const userId = prefixedPathId(request, "user_id", "usr");
  if (userId === undefined) throw new Problem("member_not_found");
  if (role === "owner") await reauthenticate(deps, request, password);
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
    if (role !== "owner")
      await withdrawInvitationsOf({ sql: transaction, record }, accountId, userId);
    return { ...found, role };
  });
  return presentMember(member);
};

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
  return reply.code(204).send();
};

export const leaveAccount: DashboardOperation = (deps) => async (request, reply) => {
  const { accountId, userId } = membershipOf(request);
  await changeAccount(deps, request, async (sql, record) => {
    const { email, role } = await endMembership({ sql, record }, accountId, userId);
    await record({ action: "member.leave", target: userId, details: { email, role } });
  });
  return reply.code(204).send();
};

/**
 * Ends the membership and withdraws the invitations that the member made; returns what the member was. Throws when
 * there is no such member, or when it is the last owner. Only within `changeAccount`, which lets no invitation be made
 * meanwhile.
 */
export async function endMembership(
  { sql, record }: { sql: Db; record: RecordChange },
  accountId: string,
  userId: string,
): Promise<MemberRow> {
  const owners = await listOwners(sql, accountId);
  if (owners.length === 1 && owners[0] === userId) throw new Problem("last_owner");
  const member = await findMember(sql, accountId, userId);
  if (!member) throw new Problem("member_not_found");
  await deleteMembership(sql, accountId, userId);
  await withdrawInvitationsOf({ sql, record }, accountId, userId);
  return member;
}
