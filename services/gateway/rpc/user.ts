/** Finds the user whom an operator names. */
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { findUserId } from "../store/users.ts";

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
