/** Records changes of an account in its audit log, with who made them, when and from which address. */
import type { ModeName } from "#vocabulary/names.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import type { Base } from "#runtime/service/service.ts";
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

/** Changes an account through `sql`: in a transaction entries are kept if and only if the change is. */
export type Editor = { sql: Db; accountId: string; record: (change: Change) => Promise<void> };

export function editorOf(
  { newId, clock }: Pick<Base, "newId" | "clock">,
  sql: Db,
  accountId: string,
  { actor, userId = null, email = null, address = null }: Origin,
): Editor {
  const origin = { actor, userId, email, address };
  const record: Editor["record"] = ({ details = {}, ...change }) => {
    const { action, target = null, mode = null, error = null } = change;
    const changed = Object.entries(details).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const what = { action, target, mode, details: Object.fromEntries(changed), error };
    const row = { id: newId("aud"), at: clock.now(), ...origin, ...what };
    return store.insertAuditEntry(sql, accountId, row);
  };
  return { sql, accountId, record };
}

/** Only while the account is locked, so that no invitation is made meanwhile. */
export async function withdrawInvitationsOf({ sql, accountId, record }: Editor, userId: string) {
  for (const { id, email, role } of await store.deleteInvitationsOf(sql, accountId, userId)) {
    await record({ action: "invitation.withdraw", target: id, details: { email, role } });
  }
}
