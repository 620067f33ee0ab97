/** Records changes of an account in its audit log, with who made them, when and from which address. */
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { ModeName } from "#vocabulary/names.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import * as store from "../store/store.ts";

/** Who changes something: a user with id and e-mail, or another; and the IP address of the request, if it is known. */
export type Origin = {
  actor: store.ActorType;
  userId?: string | null;
  email?: string | null;
  address?: string | null | undefined;
};

export type Change = {
  action: store.AuditAction;
  /** The id of what is changed, or a URL; absent for the account itself. */
  target?: string | undefined;
  mode?: ModeName | undefined;
  /** What changed, never secrets. Fields that are undefined are left out. */
  details?: Readonly<Record<string, string | number | undefined>>;
  /** Why a change failed that was recorded before. */
  error?: string;
};

export type RecordChange = (change: Change) => Promise<void>;

/** Adds entries through `sql`: in a transaction they are kept if and only if the change is. */
export function recorder(
  { newId, clock }: { newId: NewId; clock: Clock },
  sql: Db,
  accountId: string,
  { actor, userId = null, email = null, address = null }: Origin,
): RecordChange {
  const origin = { actor, userId, email, address };
  return ({ action, target = null, mode = null, details = {}, error = null }) => {
    const changed = Object.entries(details).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const what = { action, target, mode, details: Object.fromEntries(changed), error };
    const row = { id: newId("aud"), at: clock.now(), ...origin, ...what };
    return store.insertAuditEntry(sql, accountId, row);
  };
}

/** Only while the account is locked, so that no invitation is made meanwhile. */
export async function withdrawInvitationsOf(
  { sql, record }: { sql: Db; record: RecordChange },
  accountId: string,
  userId: string,
): Promise<void> {
  for (const { id, email, role } of await store.deleteInvitationsOf(sql, accountId, userId)) {
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  }
}
