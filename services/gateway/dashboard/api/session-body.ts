/** Builds the session's response body: the user, their accounts, and how users may sign up and in. */
import { presentAccount } from "../../presenters/account.ts";
import { countOwnedAccounts, listMemberships } from "../../store/memberships.ts";
import { hasPassword } from "../../store/users.ts";
import type { DashboardDeps } from "../deps.ts";
import type { SignedInUser } from "../request-state.ts";
import { MAX_OWNED_ACCOUNTS } from "./create-account.ts";
import type { Schemas } from "./operation.ts";

export async function sessionBody(
  deps: DashboardDeps,
  user: SignedInUser | undefined,
): Promise<Schemas["Session"]> {
  const { sql, signUp, oidcName } = deps;
  const signInOptions = {
    object: "session",
    sign_up: signUp,
    ...(oidcName === undefined ? {} : { oidc_name: oidcName }),
  } as const;
  if (!user) return { ...signInOptions, accounts: [], can_create_account: false };
  const [accounts, owned, has_password] = await Promise.all([
    listMemberships(sql, user.id),
    countOwnedAccounts(sql, user.id),
    hasPassword(sql, user.id),
  ]);
  const { id, name, email } = user;
  return {
    ...signInOptions,
    user: { id, name, email, has_password },
    accounts: accounts.map(presentAccount),
    can_create_account: signUp === "open" && owned < MAX_OWNED_ACCOUNTS,
  };
}
