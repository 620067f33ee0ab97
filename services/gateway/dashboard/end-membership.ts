/** Ends a membership: by removing a member, or by leaving. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { RecordChange } from "../audit/recorder.ts";
import { Problem } from "../problem.ts";
import { deleteInvitationsOf } from "../store/invitations.ts";
import { deleteMembership, findMember, listOwners } from "../store/memberships.ts";
import type { MemberRow } from "../store/memberships.ts";

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
  for (const { id, email, role } of await deleteInvitationsOf(sql, accountId, userId)) {
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  }
  return member;
}
