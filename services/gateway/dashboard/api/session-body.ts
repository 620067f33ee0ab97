/** Who is signed in, their accounts, and how one may sign in here. */
import { countOwnedAccounts, listMemberships } from "../../store/memberships.ts";
import { hasPassword } from "../../store/users.ts";
import type { DashboardDeps } from "../deps.ts";
import type { SignedIn } from "../request-state.ts";
import { MOST_OWNED_ACCOUNTS } from "./create-account.ts";
import { publicAccount } from "./operation.ts";
import type { Schemas } from "./operation.ts";

export async function sessionBody(
  deps: DashboardDeps,
  user: SignedIn | undefined,
): Promise<Schemas["Session"]> {
  const { sql, signUp, oidcName } = deps;
  const common = {
    object: "session",
    sign_up: signUp,
    ...(oidcName === undefined ? {} : { oidc_name: oidcName }),
  } as const;
  if (!user) return { ...common, accounts: [], can_create_account: false };
  const [accounts, owned, has_password] = await Promise.all([
    listMemberships(sql, user.id),
    countOwnedAccounts(sql, user.id),
    hasPassword(sql, user.id),
  ]);
  const { id, name, email } = user;
  return {
    ...common,
    user: { id, name, email, has_password },
    accounts: accounts.map(publicAccount),
    can_create_account: signUp === "open" && owned < MOST_OWNED_ACCOUNTS,
  };
}
