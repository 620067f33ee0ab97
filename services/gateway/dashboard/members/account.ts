/** Operations on an account of the signed-in user. */
import { recorder } from "../../accounts/recorder.ts";
import { presentAccount } from "../../edge/presenters/account.ts";
import { Problem } from "../../edge/http/problem.ts";
import { insertAccount, renameAccount } from "../../store/accounts.ts";
import { countOwnedAccounts, findMembership, insertMembership } from "../../store/memberships.ts";
import { lockUser } from "../../store/users.ts";
import { originOf, changeAccount } from "../session/change-account.ts";
import type { SessionDeps } from "../session/deps.ts";
import { userOf, membershipOf, type SignedInUser } from "../session/request-state.ts";
import type { DashboardOperation, Schemas } from "../session/operation.ts";

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
  deps: Pick<SessionDeps, "sql" | "newId" | "clock">,
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

export const retrieveAccount: DashboardOperation = () => async (request) =>
  presentAccount(membershipOf(request));

export const updateAccount: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const membership = membershipOf(request);
  await changeAccount(deps, request, async (sql, record) => {
    await renameAccount(sql, membership.accountId, name);
    await record({ action: "account.rename", details: { name } });
  });
  return presentAccount({ ...membership, name });
};
