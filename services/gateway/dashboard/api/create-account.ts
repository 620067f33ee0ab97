/** createAccount: POST /accounts. */
import { presentAccount } from "../../presenters/account.ts";
import { Problem } from "../../problem.ts";
import { insertAccount } from "../../store/accounts.ts";
import { countOwnedAccounts, findMembership, insertMembership } from "../../store/memberships.ts";
import { lockUser } from "../../store/users.ts";
import type { DashboardDeps } from "../deps.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const MAX_OWNED_ACCOUNTS = 10;

export const createAccount: DashboardOperation = (deps) => async (request, reply) => {
  const { name } = request.body as Schemas["NameRequest"];
  const user = userOf(request);
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  const accountId = await newAccount(deps, user.id, name);
  const membership = await findMembership(deps.sql, accountId, user.id);
  if (!membership) throw new Problem("account_not_found");
  void reply.code(201);
  return presentAccount(membership);
};

/** Creates an account with test access that the user owns; returns its id. Throws when the user owns too many. */
export async function newAccount(
  { sql, newId, clock }: Pick<DashboardDeps, "sql" | "newId" | "clock">,
  userId: string,
  name: string,
): Promise<string> {
  const accountId = newId("acct");
  const at = clock.now();
  await sql.begin(async (transaction) => {
    await lockUser(transaction, userId);
    const owned = await countOwnedAccounts(transaction, userId);
    if (owned >= MAX_OWNED_ACCOUNTS) throw new Problem("too_many_accounts");
    await insertAccount(transaction, accountId, name, at);
    await insertMembership(transaction, accountId, userId, "owner", at);
  });
  return accountId;
}
