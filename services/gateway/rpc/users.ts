/** The RPCs on users. */
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { type Change, withdrawInvitationsOf } from "../accounts/recorder.ts";
import { type AccountDeps, operatorRecorder, type UserDeps } from "./deps.ts";
import { listAccountIdsOf, insertMembership } from "../store/memberships.ts";
import {
  findUserId,
  insertUserIfNew,
  listUsers as listRows,
  setDisabled,
  deleteSecondFactor,
} from "../store/users.ts";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import { findAccount, lockAccount } from "../store/accounts.ts";
import { accountNotFound } from "./accounts.ts";
import { endSessions, listSessions } from "../store/sessions.ts";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { deletePasskeys } from "../store/user-logins.ts";

/** The id of the user with this e-mail; throws NOT_FOUND. */
export async function requireUserId(sql: Db, email: string): Promise<string> {
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
export function changeUser<T>(
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

export function createUser(deps: UserDeps): ServiceImpl<typeof AccountService>["createUser"] {
  const { sql, clock, newId, hashPassword } = deps;
  return async ({ accountId, email, name, password }, context) => {
    if (!(await findAccount(sql, accountId))) throw accountNotFound(accountId);
    const user = {
      id: newId("usr"),
      name,
      email: email.toLowerCase(),
      passwordHash: await hashPassword(password),
      at: clock.now(),
    };
    const created = await sql.begin(async (transaction) => {
      const isNew = await insertUserIfNew(transaction, user);
      if (!isNew) return false;
      await insertMembership(transaction, accountId, user.id, "owner", user.at);
      const record = operatorRecorder(deps, transaction, accountId, context);
      const details = { email: user.email, role: "owner" };
      await record({ action: "member.join", target: user.id, details });
      return true;
    });
    return created ? { userId: user.id, created } : { created };
  };
}

export function disableUser(deps: UserDeps): ServiceImpl<typeof AccountService>["disableUser"] {
  return async ({ email }, context) => {
    const work = async (sql: Db, userId: string) => {
      await setDisabled(sql, userId, deps.clock.now());
      for (const accountId of await listAccountIdsOf(sql, userId)) {
        await lockAccount(sql, accountId);
        const record = operatorRecorder(deps, sql, accountId, context);
        await withdrawInvitationsOf({ sql, record }, accountId, userId);
      }
      return endSessions(sql, userId, "user_disabled");
    };
    const change = { email, action: "member.disable", work } as const;
    const { result } = await changeUser(deps, change, context);
    return { sessions: result };
  };
}

export function enableUser(deps: UserDeps): ServiceImpl<typeof AccountService>["enableUser"] {
  const work = (sql: Db, userId: string) => setDisabled(sql, userId, null);
  return async ({ email }, context) => {
    await changeUser(deps, { email, action: "member.enable", work }, context);
    return {};
  };
}

export function listUsers({ sql }: UserDeps): ServiceImpl<typeof AccountService>["listUsers"] {
  return async ({ limit, after, accountId }) => {
    const rows = await listRows(sql, { after, accountId, limit: limit + 1 });
    const users = rows.slice(0, limit).map(({ createdAt, disabledAt, ...user }) => ({
      ...user,
      createdAt: timestampFromDate(createdAt),
      ...(disabledAt && { disabledAt: timestampFromDate(disabledAt) }),
    }));
    return { users, hasMore: rows.length > limit };
  };
}

const MAX_SESSIONS = 1_000;

export function listUserSessions(
  deps: UserDeps,
): ServiceImpl<typeof AccountService>["listUserSessions"] {
  return async ({ email, end }, context) => {
    const { sql, clock } = deps;
    const userId = await requireUserId(sql, email);
    const rows = await listSessions(sql, userId, clock.now(), MAX_SESSIONS);
    if (end) {
      const work = (tx: Db) => endSessions(tx, userId, "ended_by_operator");
      const change = { email, action: "member.end_sessions", work } as const;
      await changeUser(deps, change, context);
    }
    const sessions = rows.map(({ createdAt, expiresAt, userAgent }) => ({
      createdAt: timestampFromDate(createdAt),
      expiresAt: timestampFromDate(expiresAt),
      userAgent: userAgent ?? "",
    }));
    return { sessions };
  };
}

/** The entry comes before the link, because the sign-in library makes that outside the transaction. */
export function resetUserPassword(
  deps: UserDeps,
): ServiceImpl<typeof AccountService>["resetUserPassword"] {
  return async ({ email, removeSecondFactor }, context) => {
    const work = async (sql: Db, userId: string) => {
      if (!removeSecondFactor) return;
      await deleteSecondFactor(sql, userId);
      await deletePasskeys(sql, userId);
    };
    const details = removeSecondFactor ? { second_factor: "removed" } : {};
    const change = { email, action: "member.reset_password", details, work } as const;
    const { userId } = await changeUser(deps, change, context);
    if (removeSecondFactor) {
      deps.mailer.send(email.toLowerCase(), deps.messages.signInChanged("second_factor_reset"));
    }
    return { url: await deps.createResetLink(userId) };
  };
}
