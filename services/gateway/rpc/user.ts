/** Finds and changes the user whom an operator names. */
import type { HandlerContext } from "@connectrpc/connect";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import type { Change } from "../audit/recorder.ts";
import type { AccountDeps } from "../deps.ts";
import { listAccountIdsOf } from "../store/memberships.ts";
import { findUserId } from "../store/users.ts";
import { operatorRecorder } from "./record-change.ts";

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
