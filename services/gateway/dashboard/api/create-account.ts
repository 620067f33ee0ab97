/** createAccount: POST /accounts. */
import { recorder } from "../../audit/recorder.ts";
import { presentAccount } from "../../presenters/account.ts";
import { Problem } from "../../problem.ts";
import { insertAccount } from "../../store/accounts.ts";
import { countOwnedAccounts, findMembership, insertMembership } from "../../store/memberships.ts";
import { lockUser } from "../../store/users.ts";
import { originOf } from "../change-account.ts";
import type { DashboardDeps } from "../deps.ts";
import { userOf } from "../request-state.ts";
import type { SignedInUser } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const MAX_OWNED_ACCOUNTS = 10;

export const createAccount: DashboardOperation = (deps) => async (request, reply) => {
  const { name } = request.body as Schemas["NameRequest"];
  const user = userOf(request);
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  if (deps.mailer.reachesAddressee && !user.emailVerified) throw new Problem("email_unverified");
  const accountId = await newAccount(deps, user, request.ip, name);
  const membership = await findMembership(deps.sql, accountId, user.id);
  if (!membership) throw new Problem("account_not_found");
  void reply.code(201);
  return presentAccount(membership);
};

/** Creates an account with test access that the user owns; returns its id. Throws when the user owns too many. */
export async function newAccount(
  deps: Pick<DashboardDeps, "sql" | "newId" | "clock">,
  user: Pick<SignedInUser, "id" | "email">,
  address: string,
  name: string,
): Promise<string> {
  const accountId = deps.newId("acct");
  const at = deps.clock.now();
  await deps.sql.begin(async (transaction) => {
    await lockUser(transaction, user.id);
    const owned = await countOwnedAccounts(transaction, user.id);
    if (owned >= MAX_OWNED_ACCOUNTS) throw new Problem("too_many_accounts");
    await insertAccount(transaction, accountId, name, at);
    await insertMembership(transaction, accountId, user.id, "owner", at);
    const record = recorder(deps, transaction, accountId, originOf(user, address));
    await record({ action: "account.create", details: { name } });
  });
  return accountId;
}
