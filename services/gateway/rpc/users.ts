/** The RPCs on users. */
import type { HandlerContext } from "@connectrpc/connect";
import type { Db } from "#runtime/postgres/connect.ts";
import { addMs } from "#runtime/clock.ts";
import { invalidField, notFound } from "#runtime/rpc/errors.ts";
import { fieldsOf } from "#runtime/row-fields.ts";
import { UNDO_MS } from "../accounts/erase.ts";
import { type Change, type Editor, withdrawInvitationsOf } from "../accounts/recorder.ts";
import { byOperator, type Rpcs } from "./deps.ts";
import { createResetLink } from "../dashboard/sign-in/password.ts";
import type { DashboardDeps } from "../dashboard/session/sessions.ts";
import * as store from "../store/store.ts";
import { accountNotFound, notRestorable, restorableUntil } from "./accounts.ts";

type User = { id: string; email: string };

/** The user with this e-mail or id; throws NOT_FOUND. */
async function requireUser(sql: Db, email: string): Promise<User> {
  const user = await store.findUser(sql, email.toLowerCase());
  if (user) return user;
  throw notFound("email", `there is no user with the e-mail or id "${email}": see "ops user list"`);
}

/** Changes a user, with an entry in the audit log of each account of theirs, in one transaction. Throws NOT_FOUND. */
function changeUser<T>(
  deps: DashboardDeps,
  context: HandlerContext,
  email: string,
  { action, details }: Pick<Change, "action" | "details">,
  work: (sql: Db, user: User & { accounts: Editor[] }) => Promise<T>,
) {
  return deps.sql.begin(async (sql) => {
    const user = await requireUser(sql, email);
    const accountIds = await store.listAccountIdsOf(sql, user.id);
    const accounts = accountIds.map((accountId) => byOperator(deps, sql, accountId, context));
    const change = { action, target: user.id, details: { email: user.email, ...details } };
    for (const { record } of accounts) await record(change);
    return work(sql, { ...user, accounts });
  });
}

/** Locks the user's accounts, so that no owner leaves meanwhile. Answers with those that have no other owner. */
async function withdrawInvitations({ id, accounts }: User & { accounts: Editor[] }) {
  const orphaned: string[] = [];
  for (const account of accounts) {
    const { sql, accountId } = account;
    const found = await store.lockAccount(sql, accountId);
    await withdrawInvitationsOf(account, id);
    if (found?.deletedAt === null && (await store.isOnlyOwner(sql, accountId, id)))
      orphaned.push(accountId);
  }
  return orphaned;
}

const MAX_SESSIONS = 1_000;

export function userRpcs(deps: DashboardDeps) {
  const { sql, clock, newId } = deps;
  return {
    async createUser({ accountId, email: address, name, password }, context) {
      if (!(await store.findAccount(sql, accountId))) throw accountNotFound(accountId);
      const { password: hashing } = await (await deps.auth()).$context;
      const passwordHash = await hashing.hash(password);
      const userId = newId("usr");
      const email = address.toLowerCase();
      const at = clock.now();
      const created = await sql.begin(async (tx) => {
        const user = { id: userId, name, email, passwordHash, at };
        if (!(await store.insertUserIfNew(tx, user))) return false;
        await store.insertMembershipIfNew(tx, { accountId, userId, role: "owner", joinedAt: at });
        const { record } = byOperator(deps, tx, accountId, context);
        await record({ action: "member.join", target: userId, details: { email, role: "owner" } });
        return true;
      });
      return created ? { userId, created } : { created };
    },
    disableUser: ({ email }, context) =>
      changeUser(deps, context, email, { action: "member.disable" }, async (tx, user) => {
        await store.setDisabled(tx, user.id, clock.now());
        await withdrawInvitations(user);
        return { sessions: await store.endSessions(tx, user.id, "user_disabled") };
      }),
    enableUser: ({ email }, context) =>
      changeUser(deps, context, email, { action: "member.enable" }, async (tx, { id }) => {
        if (await store.setDisabled(tx, id, null)) return {};
        const message = "the user is deleted: ops user restore undoes it within 30 days";
        throw invalidField("email", message);
      }),
    deleteUser: ({ email }, context) =>
      changeUser(deps, context, email, { action: "member.delete" }, async (tx, user) => {
        const orphaned = (await withdrawInvitations(user)).join(", ");
        const message = `the user is the only owner of ${orphaned}: let somebody else own it first, or delete it with ops account delete`;
        if (orphaned) throw invalidField("email", message);
        await store.endSessions(tx, user.id, "user_disabled");
        const deleted = await store.setDeleted(tx, user.id, clock.now());
        return { userId: user.id, ...restorableUntil(deleted) };
      }),
    restoreUser: ({ email }, context) =>
      changeUser(deps, context, email, { action: "member.restore" }, async (tx, { id: userId }) => {
        if (await store.restoreIfDeletedAfter(tx, userId, addMs(clock.now(), -UNDO_MS)))
          return { userId };
        throw notRestorable("email", email);
      }),
    async listUsers({ limit, after, accountId }) {
      if (accountId !== undefined && !(await store.findAccount(sql, accountId)))
        throw accountNotFound(accountId);
      const rows = await store.listUsers(sql, { after, accountId, limit: limit + 1 });
      const users = rows
        .slice(0, limit)
        .map((row) => ({ ...fieldsOf(row), ...restorableUntil(row) }));
      return { users, hasMore: rows.length > limit };
    },
    async listUserSessions({ email, end }, context) {
      const { id: userId } = await requireUser(sql, email);
      const rows = await store.listSessions(sql, userId, clock.now(), MAX_SESSIONS);
      if (end) {
        await changeUser(deps, context, email, { action: "member.end_sessions" }, (tx) =>
          store.endSessions(tx, userId, "ended_by_operator"),
        );
      }
      return { sessions: rows.map(fieldsOf) };
    },
    /** The entry comes before the link, because the sign-in library makes that outside the transaction. */
    async resetUserPassword({ email, removeSecondFactor }, context) {
      const details = removeSecondFactor ? { second_factor: "removed" } : {};
      const change = { action: "member.reset_password", details } as const;
      const user = await changeUser(deps, context, email, change, async (tx, found) => {
        if (removeSecondFactor) await store.deleteSecondFactorAndPasskeys(tx, found.id);
        return found;
      });
      if (removeSecondFactor) {
        deps.mailer.send(user.email, deps.messages.signInChanged("second_factor_reset"));
      }
      return { url: await createResetLink(deps, user.id) };
    },
  } satisfies Rpcs;
}
