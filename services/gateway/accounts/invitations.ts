/** Withdraws what a member has invited, when the role that allowed it ends. */
import type { Db } from "#runtime/postgres/connect.ts";
import { deleteInvitationsOf } from "../store/invitations.ts";
import type { RecordChange } from "./recorder.ts";

/** Only while the account is locked, so that no invitation is made meanwhile. */
export async function withdrawInvitationsOf(
  { sql, record }: { sql: Db; record: RecordChange },
  accountId: string,
  userId: string,
): Promise<void> {
  for (const { id, email, role } of await deleteInvitationsOf(sql, accountId, userId)) {
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  }
}
