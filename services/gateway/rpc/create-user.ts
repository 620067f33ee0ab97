/** CreateUser: creates a user who signs in with a password, as an owner of an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { insertMembership } from "../store/memberships.ts";
import { insertUserIfNew } from "../store/users.ts";
import { accountNotFound } from "./account.ts";

export function createUser({
  sql,
  clock,
  newId,
}: AccountDeps): ServiceImpl<typeof AccountService>["createUser"] {
  return async ({ accountId, email, name, password }) => {
    if (!(await findAccount(sql, accountId))) throw accountNotFound(accountId);
    const { hashPassword } = await import("better-auth/crypto");
    const user = {
      id: newId("usr"),
      name,
      email: email.toLowerCase(),
      passwordHash: await hashPassword(password),
      at: clock.now(),
    };
    const created = await sql.begin(async (transaction) => {
      const isNew = await insertUserIfNew(transaction, user);
      if (isNew) await insertMembership(transaction, accountId, user.id, "owner", user.at);
      return isNew;
    });
    return created ? { userId: user.id, created } : { created };
  };
}
