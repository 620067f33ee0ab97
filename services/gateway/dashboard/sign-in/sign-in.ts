/** Signing in by password or the identity provider, signing out, and the user's sessions. */
import { presentPage, publicOf } from "../../edge/operations/operation.ts";
import { OIDC_PROVIDER } from "../session/auth.ts";
import type { DashboardCall, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import { Problem } from "../../edge/http/problem.ts";
import * as store from "../../store/store.ts";
import { MAX_OWNED_ACCOUNTS, presentAccount } from "../members/members.ts";

/** The name that the sign-in library gives the cookie, without its prefix. */
const COOKIE = "two_factor";

/** The sign-in that waits for the second factor; undefined when there is none, or it has ended. */
async function pendingSignIn({ deps, request }: DashboardCall) {
  if (request.headers.cookie === undefined) return undefined;
  const { createAuthCookie, internalAdapter } = await (await deps.auth()).$context;
  // Too random to be guessed; that it is signed is checked when it signs in.
  const identifier = session.cookieToken(request, createAuthCookie(COOKIE).name);
  if (!identifier) return undefined;
  const pending = await internalAdapter.findVerificationValue(identifier);
  if (!pending || pending.expiresAt <= deps.clock.now()) return undefined;
  const user = await internalAdapter.findUserById(pending.value);
  if (!user) return undefined;
  return { user, forget: () => internalAdapter.deleteVerificationByIdentifier(identifier) };
}

export const signIn: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { email, password } = request.body as Schemas["SignInRequest"];
  const by = deps.knownBrowsers.attempter(request, email);
  const { api, withHeaders } = await session.libraryOf(call);
  const { headers, response } = await deps.signInAttempts.attempt(email, by, () =>
    api
      .signInEmail({ body: { email, password }, ...withHeaders })
      .catch(session.refusedAs("wrong_credentials")),
  );
  if ("twoFactorRedirect" in response) {
    await session.endRequestSession(call);
    session.setCookies(call.reply, headers);
    return { ...(await sessionBody(deps, undefined)), needs_second_factor: true };
  }
  return finishSignIn(call, headers, response.user);
};

/** Ends the browser's earlier session and passes the new one on, unless the user is disabled. */
export async function finishSignIn(
  call: DashboardCall,
  headers: Headers,
  user: session.SignedInUser,
) {
  const { deps, reply } = call;
  await session.endRequestSession(call);
  if (user.disabledAt) {
    await store.endSessions(deps.sql, user.id, "user_disabled");
    throw new Problem("user_disabled");
  }
  session.setCookies(reply, headers);
  deps.knownBrowsers.remember(reply, user.email);
  return sessionBody(deps, user);
}

export const completeSignIn: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { code, kind } = request.body as Schemas["SecondFactorRequest"];
  const pending = await pendingSignIn(call);
  if (!pending) throw new Problem("sign_in_again");
  const login = `second factor of ${pending.user.id}`;
  const by = deps.knownBrowsers.attempter(request, pending.user.email);
  const { api, $context, withHeaders } = await session.libraryOf(call);
  const { internalAdapter } = await $context;
  const options = { body: { code }, ...withHeaders };
  const { headers, response } = await deps.signInAttempts.attempt(login, by, async () => {
    if (kind === "recovery") return api.verifyBackupCode(options).catch(refuseCode);
    const verified = await api.verifyTOTP(options).catch(refuseCode);
    const { user, token } = verified.response;
    await deps.signInAttempts.countCode(user.id, code).catch(async (error: unknown) => {
      if (token !== undefined) await internalAdapter.deleteSession(token);
      throw error;
    });
    return verified;
  });
  return finishSignIn(call, headers, response.user);
};

/** The library's refusals: a sign-in that was not begun or had too many codes, or a wrong code. */
export function refuseCode(error: unknown): never {
  if (!session.isRefusal(error)) throw error;
  const code = String(error.body?.code);
  const isOver = /^(?:INVALID_TWO_FACTOR_COOKIE|TOO_MANY_ATTEMPTS)/.test(code);
  throw new Problem(isOver ? "sign_in_again" : "wrong_code");
}

export const signOut: DashboardOperation = async (call) => {
  await (await pendingSignIn(call))?.forget();
  session.setCookies(call.reply, await session.endRequestSession(call));
};

export const startOidc: DashboardOperation = (call) => redirectToProvider(call, false);

export const linkOidc: DashboardOperation = (call) => redirectToProvider(call, true);

/** Answers where the provider signs the user in, or has a login linked. */
async function redirectToProvider(call: DashboardCall, isLink: boolean) {
  const { deps, request } = call;
  if (deps.oidcName === undefined) throw new Problem("route_not_found");
  await deps.signInAttempts.countAddress(request.ip);
  if (isLink) await session.reauthenticate(call);
  const home = `${deps.publicUrl()}/dashboard`;
  const callbackURL = isLink ? `${home}/account` : home;
  const errorCallbackURL = isLink ? callbackURL : `${home}/sign-in`;
  // The provider may be slow.
  request.turn?.pause();
  const { api } = await deps.providerAuth();
  const body = { provider: OIDC_PROVIDER, callbackURL, errorCallbackURL };
  const asked = { body, headers: session.cookieOf(request), returnHeaders: true } as const;
  const { headers, response } = isLink
    ? await api.linkSocialAccount(asked)
    : await api.signInSocial(asked);
  session.setCookies(call.reply, headers);
  return { url: response.url ?? "" } satisfies Schemas["Redirect"];
}

export const unlinkOidc: DashboardOperation = async (call) => {
  const { deps, request } = call;
  await session.reauthenticate(call);
  const { id } = session.userOf(request);
  // A password is never taken away again.
  if (!(await store.loginsOf(deps.sql, id)).includes("password")) throw new Problem("last_login");
  const isUnlinked = await store.deleteLogin(deps.sql, id, OIDC_PROVIDER);
  if (isUnlinked) session.mailChange(call, "provider_unlinked");
};

export async function sessionBody(
  { sql, signUp, oidcName, mailer }: session.DashboardDeps,
  user: session.SignedInUser | undefined,
): Promise<Schemas["Session"]> {
  const signInOptions = {
    object: "session",
    sign_up: signUp,
    verifies_email: mailer.reachesAddressee,
    ...(oidcName === undefined ? {} : { oidc_name: oidcName }),
  } as const;
  if (!user) return { ...signInOptions, accounts: [], can_create_account: false };
  const [accounts, logins] = await Promise.all([
    store.listMemberships(sql, user.id),
    store.loginsOf(sql, user.id),
  ]);
  const owned = accounts.filter(({ role }) => role === "owner").length;
  const { id, name, email, emailVerified: email_verified } = user;
  const has = {
    has_password: logins.includes("password"),
    has_oidc: logins.includes(OIDC_PROVIDER),
    has_second_factor: user.twoFactorEnabled === true,
  };
  const mayCreate = signUp === "open" && (email_verified || !mailer.reachesAddressee);
  return {
    ...signInOptions,
    user: { id, name, email, email_verified, ...has },
    accounts: accounts.map(presentAccount),
    can_create_account: mayCreate && owned < MAX_OWNED_ACCOUNTS,
  };
}

export const retrieveSession: DashboardOperation = async (call) => {
  const { user, expiresAt, headers } = await session.readSession(call);
  const endedBecause = headers && !user ? await session.sessionEndOf(call) : undefined;
  const isPending = !user && (await pendingSignIn(call)) !== undefined;
  // A cookie that says why the session ended stays until the next sign-in, so that every tab of the browser is told.
  if (!endedBecause) session.setCookies(call.reply, headers);
  return {
    ...(await sessionBody(call.deps, user)),
    ...(isPending && { needs_second_factor: true as const }),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(endedBecause && { ended_because: endedBecause }),
  } satisfies Schemas["Session"];
};

const MAX_SESSIONS = 100;

export const listSessions: DashboardOperation = async ({ deps: { sql, clock }, request }) => {
  const { id: userId } = session.userOf(request);
  const rows = await store.listSessions(sql, userId, clock.now(), MAX_SESSIONS + 1);
  const data = rows.slice(0, MAX_SESSIONS).map((row) => ({
    ...publicOf(row),
    object: "user_session" as const,
    is_current: row.id === request.session?.id,
  }));
  return presentPage(data, rows.length > MAX_SESSIONS) satisfies Schemas["UserSessionList"];
};

export const endSession: DashboardOperation = async ({ deps, request }) => {
  const id = session.namedInPath(request, "session_id", "session_not_found");
  const { id: userId } = session.userOf(request);
  const ended = await store.endSessions(deps.sql, userId, "ended_elsewhere", { id });
  if (ended === 0) throw new Problem("session_not_found");
};

export const endOtherSessions: DashboardOperation = async ({ deps, request }) => {
  const of = { keptId: request.session?.id };
  await store.endSessions(deps.sql, session.userOf(request).id, "ended_elsewhere", of);
};
