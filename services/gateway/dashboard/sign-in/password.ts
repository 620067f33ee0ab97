/** Signing up, the user's password, address and name, and links that prove an address or set a new password. */
import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import { decodeJwt } from "jose";
import { addMs } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { LINK_VALID_SECONDS } from "../../accounts/mail/messages.ts";
import { Problem } from "../../edge/http/problem.ts";
import * as store from "../../store/store.ts";
import { againIfTaken } from "../session/auth.ts";
import { joinAccount, newAccount, requireOpenInvitation } from "../members/members.ts";
import type { DashboardDeps, DashboardOperation, Schemas } from "../session/sessions.ts";
import * as session from "../session/sessions.ts";
import { sessionBody } from "./sign-in.ts";

export const signUp: DashboardOperation = async (call) => {
  const { deps, request, reply } = call;
  const { name, password, proof, ...body } = request.body as Schemas["SignUpRequest"];
  const email = body.email.toLowerCase();
  await deps.signInAttempts.count(email, deps.knownBrowsers.attempter(request, email));
  const invitation = body.invitation
    ? await requireOpenInvitation(deps, body.invitation)
    : undefined;
  if (invitation && invitation.email !== email) throw new Problem("wrong_invitee");
  if (!invitation && deps.signUp !== "open") throw new Problem("sign_up_closed");
  if (!invitation?.isMailed && proof && !deps.signUpProof.isValid(proof, email)) {
    throw new Problem("link_invalid");
  }
  const isVerified = invitation?.isMailed || Boolean(proof);
  if (!invitation && !isVerified && deps.mailer.reachesAddressee) {
    throw new Problem("email_unverified");
  }
  await requireStrongPassword(password, { param: "password", known: [email, name] });
  const { api, withHeaders } = await session.libraryOf(call);
  const response = await api
    .signUpEmail({ body: { name, email, password }, ...withHeaders })
    .catch(async (error: unknown) => {
      // Also of sign-ups at the same time, of which the database lets one through.
      throw (await store.findUser(deps.sql, email)) ? new Problem("email_taken") : error;
    });
  const user = { ...response.response.user, emailVerified: isVerified };
  if (isVerified) await store.setEmailVerified(deps.sql, user.id);
  const joined = invitation && (await joinAccount(deps, invitation, user, request.ip));
  if (!joined && deps.signUp === "open") {
    await newAccount(deps, user, request.ip, `${user.name}'s account`);
  }
  await session.endRequestSession(call);
  session.setCookies(reply, response.headers);
  deps.knownBrowsers.remember(reply, email);
  return sessionBody(deps, user);
};

export const requestSignUp: DashboardOperation = async ({ deps, request }) => {
  const { mailer, messages, signUpProof } = deps;
  if (!mailer.reachesAddressee) throw new Problem("route_not_found");
  if (deps.signUp !== "open") throw new Problem("sign_up_closed");
  const email = (request.body as Schemas["EmailRequest"]).email.toLowerCase();
  await deps.signInAttempts.countMail(email, request.ip);
  const token = signUpProof.issue(email);
  const taken = await store.findUser(deps.sql, email);
  mailer.send(email, taken ? messages.hasLogin() : messages.signUp(email, token));
};

export const changePassword: DashboardOperation = async (call) => {
  const body = call.request.body as Schemas["ChangePasswordRequest"];
  const { id, email, name } = session.userOf(call.request);
  const change = {
    currentPassword: body.current_password,
    newPassword: body.new_password,
    revokeOtherSessions: true,
  };
  const { api, withHeaders } = await session.reauthenticate(call);
  await requireStrongPassword(body.new_password, { param: "new_password", known: [email, name] });
  const response = await api
    .changePassword({ body: change, ...withHeaders })
    .catch(session.wrongPassword);
  await store.endPasswordLinks(call.deps.sql, id);
  session.mailChange(call, "password_changed");
  session.setCookies(call.reply, response.headers);
};

export const requestPasswordReset: DashboardOperation = async ({ deps, request }) => {
  const { email } = request.body as Schemas["EmailRequest"];
  await deps.signInAttempts.countMail(email, request.ip);
  const { api } = await deps.auth();
  // The library refuses some addresses that the document allows. No user has one.
  await api.requestPasswordReset({ body: { email } }).catch(ignoreRefusal);
};

export const resetPassword: DashboardOperation = async ({ deps, request, reply }) => {
  const { token, new_password: newPassword } = request.body as Schemas["ResetPasswordRequest"];
  const { api, $context } = await deps.auth();
  const { internalAdapter } = await $context;
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  const user =
    link && link.expiresAt > deps.clock.now() && (await internalAdapter.findUserById(link.value));
  if (!user) throw new Problem("link_invalid");
  const known = [user.email, user.name];
  await requireStrongPassword(newPassword, { param: "new_password", known });
  await againIfTaken(() => api.resetPassword({ body: { token, newPassword } })).catch(
    session.refusedAs("link_invalid"),
  );
  deps.mailer.send(user.email, deps.messages.signInChanged("password_reset"));
  // Attempts by others must not delay whoever reads the user's mail.
  deps.knownBrowsers.remember(reply, user.email);
};

/** The name under which the sign-in library keeps the token of a link. */
function resetIdentifier(token: string): string {
  return `reset-password:${token}`;
}

/** A link with which whoever has it sets a new password of the user, once, within an hour. */
export async function createResetLink(deps: DashboardDeps, userId: string): Promise<string> {
  const token = randomToken();
  const { internalAdapter } = await (await deps.auth()).$context;
  await internalAdapter.createVerificationValue({
    value: userId,
    identifier: resetIdentifier(token),
    expiresAt: addMs(deps.clock.now(), LINK_VALID_SECONDS * 1_000),
  });
  return deps.messages.resetLink(token);
}

/** Of the library's 0 to 4: from 2 on, more than a million guesses. Delays of sign-in attempts do the rest. */
const MIN_SCORE = 2;

/** Throws `weak_password`. The library's word lists take 30 MB, so they are loaded with the first password. */
export async function requireStrongPassword(
  password: string,
  { param, known }: { param: "password" | "new_password"; known: readonly string[] },
): Promise<void> {
  const { score } = (await (estimator ??= loadEstimator())).check(password, [...known]);
  if (score < MIN_SCORE) throw new Problem("weak_password", { param });
}

let estimator: Promise<ZxcvbnFactory> | undefined;

async function loadEstimator() {
  const { ZxcvbnFactory: Factory } = await import("@zxcvbn-ts/core");
  const { adjacencyGraphs, dictionary } = await import("@zxcvbn-ts/language-common");
  // The estimate is of so many characters: that of a long password takes long.
  return new Factory({ dictionary, graphs: adjacencyGraphs, maxLength: 40 });
}

export const changeEmail: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { email } = request.body as Schemas["ChangeEmailRequest"];
  const user = session.userOf(request);
  const { api, asUser } = await session.reauthenticate(call);
  await deps.signInAttempts.countMail(user.email, request.ip);
  await deps.signInAttempts.countMail(email, request.ip);
  // The same address, or one that the library does not take: nothing is sent, as for one that is taken.
  await api.changeEmail({ body: { newEmail: email }, ...asUser }).catch(ignoreRefusal);
};

function ignoreRefusal(error: unknown): void {
  if (!session.isRefusal(error)) throw error;
}

export const sendVerification: DashboardOperation = async (call) => {
  const { email, emailVerified } = session.userOf(call.request);
  if (emailVerified) return;
  await call.deps.signInAttempts.countMail(email, call.request.ip);
  const { api, asUser } = await session.libraryOf(call);
  await api.sendVerificationEmail({ body: { email }, ...asUser });
};

/** By the library's name for the kind of a token. */
const RESULTS: Readonly<Record<string, Schemas["EmailConfirmation"]["result"]>> = {
  "change-email-confirmation": "sent_to_new_address",
  "change-email-verification": "changed",
};

export const confirmEmail: DashboardOperation = async (call) => {
  const { deps, request } = call;
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const { api, asUser } = await session.libraryOf(call);
  await api.verifyEmail({ query: { token }, ...asUser }).catch(async (error: unknown) => {
    if (session.isRefusal(error)) throw new Problem("link_invalid");
    const { updateTo } = decodeJwt(token);
    const taken = typeof updateTo === "string" && (await store.findUser(deps.sql, updateTo));
    throw taken ? new Problem("email_taken") : error;
  });
  const { requestType, email, updateTo } = decodeJwt(token);
  const result = RESULTS[String(requestType)] ?? "verified";
  if (result === "changed") {
    const user = await store.findUser(deps.sql, String(updateTo));
    if (user) await store.endPasswordLinks(deps.sql, user.id);
    for (const address of [email, updateTo]) {
      deps.mailer.send(String(address), deps.messages.signInChanged("email_changed"));
    }
  }
  return { result } satisfies Schemas["EmailConfirmation"];
};

export const changeName: DashboardOperation = async (call) => {
  const { name } = call.request.body as Schemas["NameRequest"];
  const { api, asUser } = await session.libraryOf(call);
  await api.updateUser({ body: { name }, ...asUser });
};
