/** CreateUser: creates a user who signs in with a password, as an owner of an account. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { AccountService } from "#gen/proto/media/accounts/v1/accounts_pb.ts";
import type { AccountDeps } from "../deps.ts";
import { findAccount } from "../store/accounts.ts";
import { insertMembership } from "../store/memberships.ts";
import { insertUserIfNew } from "../store/users.ts";
import { accountNotFound } from "./account.ts";
import { operatorRecorder } from "./record-change.ts";

export function createUser(deps: AccountDeps): ServiceImpl<typeof AccountService>["createUser"] {
  const { sql, clock, newId } = deps;
  return async ({ accountId, email, name, password }, context) => {
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
