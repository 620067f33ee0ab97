/** The RPCs on users. */
import type { HandlerContext } from "@connectrpc/connect";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { type Change, withdrawInvitationsOf } from "../accounts/recorder.ts";
import { type AccountDeps, operatorRecorder, type Rpcs, type UserDeps } from "./deps.ts";
import { listAccountIdsOf, insertMembership } from "../store/memberships.ts";
import {
  findUserId,
  insertUserIfNew,
  listUsers,
  setDisabled,
  deleteSecondFactor,
} from "../store/users.ts";
import { findAccount, lockAccount } from "../store/accounts.ts";
import { accountNotFound } from "./accounts.ts";
import { endSessions, listSessions } from "../store/sessions.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { deletePasskeys } from "../store/user-logins.ts";

/** The id of the user with this e-mail; throws NOT_FOUND. */
async function requireUserId(sql: Db, email: string): Promise<string> {
  const id = await findUserId(sql, email.toLowerCase());
  if (id !== undefined) return id;
  throw refusal({
    reason: ErrorReason.NOT_FOUND,
    field: "email",
    message: `there is no user with the e-mail "${email}"`,
  });
}

type UserChange<T> = Pick<Change, "action" | "details"> & {
  email: string;
  work: (sql: Db, userId: string) => Promise<T>;
};

/** Changes a user, with an entry in the audit log of each account of theirs, in one transaction. Throws NOT_FOUND. */
function changeUser<T>(
  deps: AccountDeps,
  { email, action, details, work }: UserChange<T>,
  context: HandlerContext,
): Promise<{ userId: string; result: T }> {
  return deps.sql.begin(async (sql) => {
    const userId = await requireUserId(sql, email);
    const change = { action, target: userId, details: { email: email.toLowerCase(), ...details } };
    for (const accountId of await listAccountIdsOf(sql, userId)) {
      await operatorRecorder(deps, sql, accountId, context)(change);
    }
    return { userId, result: await work(sql, userId) };
  });
}

const MAX_SESSIONS = 1_000;

type UserRpc =
  | "createUser"
  | "disableUser"
  | "enableUser"
  | "listUsers"
  | "listUserSessions"
  | "resetUserPassword";

export function userRpcs(deps: UserDeps): Rpcs<UserRpc> {
  const { sql, clock, newId, hashPassword } = deps;
  return {
    async createUser({ accountId, email, name, password }, context) {
      if (!(await findAccount(sql, accountId))) throw accountNotFound(accountId);
      const user = {
        id: newId("usr"),
        name,
        email: email.toLowerCase(),
        passwordHash: await hashPassword(password),
        at: clock.now(),
      };
      const created = await sql.begin(async (tx) => {
        if (!(await insertUserIfNew(tx, user))) return false;
        await insertMembership(tx, accountId, user.id, "owner", user.at);
        const record = operatorRecorder(deps, tx, accountId, context);
        const details = { email: user.email, role: "owner" };
        await record({ action: "member.join", target: user.id, details });
        return true;
      });
      return created ? { userId: user.id, created } : { created };
    },
    async disableUser({ email }, context) {
      const work = async (tx: Db, userId: string) => {
        await setDisabled(tx, userId, clock.now());
        for (const accountId of await listAccountIdsOf(tx, userId)) {
          await lockAccount(tx, accountId);
          const record = operatorRecorder(deps, tx, accountId, context);
          await withdrawInvitationsOf({ sql: tx, record }, accountId, userId);
        }
        return endSessions(tx, userId, "user_disabled");
      };
      const change = { email, action: "member.disable", work } as const;
      const { result } = await changeUser(deps, change, context);
      return { sessions: result };
    },
    async enableUser({ email }, context) {
      const work = (tx: Db, userId: string) => setDisabled(tx, userId, null);
      await changeUser(deps, { email, action: "member.enable", work }, context);
      return {};
    },
    async listUsers({ limit, after, accountId }) {
      const rows = await listUsers(sql, { after, accountId, limit: limit + 1 });
      const users = rows.slice(0, limit).map(({ createdAt, disabledAt, ...user }) => ({
        ...user,
        createdAt: timestampFromDate(createdAt),
        ...(disabledAt && { disabledAt: timestampFromDate(disabledAt) }),
      }));
      return { users, hasMore: rows.length > limit };
    },
    async listUserSessions({ email, end }, context) {
      const userId = await requireUserId(sql, email);
      const rows = await listSessions(sql, userId, clock.now(), MAX_SESSIONS);
      if (end) {
        const work = (tx: Db) => endSessions(tx, userId, "ended_by_operator");
        await changeUser(deps, { email, action: "member.end_sessions", work }, context);
      }
      const sessions = rows.map(({ createdAt, expiresAt, userAgent }) => ({
        createdAt: timestampFromDate(createdAt),
        expiresAt: timestampFromDate(expiresAt),
        userAgent: userAgent ?? "",
      }));
      return { sessions };
    },
    /** The entry comes before the link, because the sign-in library makes that outside the transaction. */
    async resetUserPassword({ email, removeSecondFactor }, context) {
      const work = async (tx: Db, userId: string) => {
        if (!removeSecondFactor) return;
        await deleteSecondFactor(tx, userId);
        await deletePasskeys(tx, userId);
      };
      const details = removeSecondFactor ? { second_factor: "removed" } : {};
      const change = { email, action: "member.reset_password", details, work } as const;
      const { userId } = await changeUser(deps, change, context);
      if (removeSecondFactor) {
        deps.mailer.send(email.toLowerCase(), deps.messages.signInChanged("second_factor_reset"));
      }
      return { url: await deps.createResetLink(userId) };
    },
  };
}
