/** Builds the session's response body: the user, their accounts, and how users may sign up and in. */
import { presentAccount } from "../../presenters/account.ts";
import { countOwnedAccounts, listMemberships } from "../../store/memberships.ts";
import { hasLogin, hasPassword } from "../../store/user-logins.ts";
import type { DashboardDeps } from "../deps.ts";
import { OIDC_PROVIDER } from "../oidc.ts";
import type { SignedInUser } from "../request-state.ts";
import { MAX_OWNED_ACCOUNTS } from "./create-account.ts";
import type { Schemas } from "./operation.ts";

export async function sessionBody(
  deps: DashboardDeps,
  user: SignedInUser | undefined,
): Promise<Schemas["Session"]> {
  const { sql, signUp, oidcName, mailer } = deps;
  const signInOptions = {
    object: "session",
    sign_up: signUp,
    verifies_email: mailer.reachesAddressee,
    ...(oidcName === undefined ? {} : { oidc_name: oidcName }),
  } as const;
  if (!user) return { ...signInOptions, accounts: [], can_create_account: false };
  const [accounts, owned, has_password, has_oidc] = await Promise.all([
    listMemberships(sql, user.id),
    countOwnedAccounts(sql, user.id),
    hasPassword(sql, user.id),
    hasLogin(sql, user.id, OIDC_PROVIDER),
  ]);
  const { id, name, email, emailVerified: email_verified } = user;
  const has_second_factor = user.hasSecondFactor;
  const mayCreate = signUp === "open" && (email_verified || !mailer.reachesAddressee);
  return {
    ...signInOptions,
    user: { id, name, email, email_verified, has_password, has_oidc, has_second_factor },
    accounts: accounts.map(presentAccount),
    can_create_account: mayCreate && owned < MAX_OWNED_ACCOUNTS,
  };
}
