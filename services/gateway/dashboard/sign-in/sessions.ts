/** Operations on sessions. */
import { presentAccount } from "../../edge/presenters/account.ts";
import { countOwnedAccounts, listMemberships } from "../../store/memberships.ts";
import { hasLogin, hasPassword } from "../../store/user-logins.ts";
import type { SignInDeps, SignInOperation } from "./deps.ts";
import { OIDC_PROVIDER } from "../session/oidc.ts";
import { userOf, type SignedInUser } from "../session/request-state.ts";
import { MAX_OWNED_ACCOUNTS } from "../members/account.ts";
import type { Schemas } from "../session/operation.ts";
import { pendingSignIn } from "./pending-sign-in.ts";
import { readSession, sessionEndOf, setCookies } from "../session/sessions.ts";
import { listSessions as list, endSession as end, endSessions } from "../../store/sessions.ts";
import { presentPage } from "../../edge/presenters/page.ts";
import { isToken } from "#runtime/id.ts";
import { Problem } from "../../edge/http/problem.ts";

/** Builds the session's response body: the user, their accounts, and how users may sign up and in. */
export async function sessionBody(
  deps: SignInDeps,
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

export const retrieveSession: SignInOperation = (deps) => async (request, reply) => {
  const { user, expiresAt, headers } = await readSession(deps, request);
  const endedBecause = headers && !user ? await sessionEndOf(deps, request) : undefined;
  const isPending = !user && (await pendingSignIn(deps, request)) !== undefined;
  // A cookie that says why the session ended stays until the next sign-in, so that every tab of the browser is told.
  if (!endedBecause) setCookies(reply, headers);
  return {
    ...(await sessionBody(deps, user)),
    ...(isPending && { needs_second_factor: true as const }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(endedBecause && { ended_because: endedBecause }),
  } satisfies Schemas["Session"];
};

const MAX_SESSIONS = 100;

export const listSessions: SignInOperation = (deps) => async (request) => {
  const rows = await list(deps.sql, userOf(request).id, deps.clock.now(), MAX_SESSIONS + 1);
  const data = rows.slice(0, MAX_SESSIONS).map((row) => ({
    id: row.id,
    object: "user_session" as const,
    is_current: row.id === request.sessionId,
    ...(row.userAgent === null ? {} : { user_agent: row.userAgent }),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }));
  return presentPage(data, rows.length > MAX_SESSIONS) satisfies Schemas["UserSessionList"];
};

export const endSession: SignInOperation = (deps) => async (request, reply) => {
  const { session_id: id } = request.params as { session_id: string };
  const isEnded = isToken(id) && (await end(deps.sql, userOf(request).id, id));
  if (!isEnded) throw new Problem("session_not_found");
  return reply.code(204).send();
};

export const endOtherSessions: SignInOperation = (deps) => async (request, reply) => {
  await endSessions(deps.sql, userOf(request).id, "ended_elsewhere", request.sessionId);
  return reply.code(204).send();
};
