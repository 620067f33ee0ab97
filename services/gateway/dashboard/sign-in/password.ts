/** Operations on the user's password, e-mail address and name, and links that set a new password. */
import {
  attemptAsUser,
  callOf,
  cookieOf,
  type DashboardOperation,
  isRefusal,
  reauthenticate,
  refusedAs,
  type Schemas,
  setCookies,
  userOf,
  wrongPassword,
} from "../session/sessions.ts";
import type { Auth } from "../session/auth.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { LINK_VALID_SECONDS, resetLink } from "../../accounts/mail/messages.ts";
import { Problem } from "../../edge/http/problem.ts";
import { decodeJwt } from "jose";
import { findUser } from "../../store/users.ts";

export const changePassword: DashboardOperation = (deps) => async (request, reply) => {
  const body = request.body as Schemas["ChangePasswordRequest"];
  const { email, name } = userOf(request);
  await requireStrongPassword(body.new_password, { param: "new_password", known: [email, name] });
  const { api } = await deps.auth();
  const change = {
    currentPassword: body.current_password,
    newPassword: body.new_password,
    revokeOtherSessions: true,
  };
  const response = await attemptAsUser(deps, request, () =>
    api.changePassword({ body: change, ...callOf(request) }).catch(wrongPassword),
  );
  deps.mailer.send(email, deps.messages.signInChanged("password_changed"));
  setCookies(reply, response.headers);
};

export const requestPasswordReset: DashboardOperation = (deps) => async (request) => {
  const { email } = request.body as Schemas["EmailRequest"];
  await deps.signInAttempts.countMail(email, request.ip);
  const { api } = await deps.auth();
  await api.requestPasswordReset({ body: { email } }).catch((error: unknown) => {
    // The library refuses some addresses that the document allows. No user has one.
    if (!isRefusal(error)) throw error;
  });
};

export const resetPassword: DashboardOperation = (deps) => async (request, reply) => {
  const { token, new_password: newPassword } = request.body as Schemas["ResetPasswordRequest"];
  const { api, $context } = await deps.auth();
  const user = await userOfLink(await $context, token);
  if (user) {
    const known = [user.email, user.name];
    await requireStrongPassword(newPassword, { param: "new_password", known });
  }
  await api.resetPassword({ body: { token, newPassword } }).catch(refusedAs("link_invalid"));
  if (user) {
    deps.mailer.send(user.email, deps.messages.signInChanged("password_reset"));
    // Attempts by others must not delay whoever reads the user's mail.
    deps.knownBrowsers.remember(reply, user.email);
  }
};

async function userOfLink(
  { internalAdapter }: Awaited<Auth["$context"]>,
  token: string,
): Promise<{ id: string; email: string; name: string } | undefined> {
  const link = await internalAdapter.findVerificationValue(resetIdentifier(token));
  return (link && (await internalAdapter.findUserById(link.value))) ?? undefined;
}

/** The name under which the sign-in library keeps the token of a link. */
export function resetIdentifier(token: string): string {
  return `reset-password:${token}`;
}

/** `resetPassword` takes the link's token like one of its own. */
export function resetLinks(
  auth: () => Promise<Auth>,
  clock: Clock,
  publicUrl: () => string,
): (userId: string) => Promise<string> {
  return async (userId) => {
    const token = randomToken();
    const { internalAdapter } = await (await auth()).$context;
    await internalAdapter.createVerificationValue({
      value: userId,
      identifier: resetIdentifier(token),
      expiresAt: addMs(clock.now(), LINK_VALID_SECONDS * 1_000),
    });
    return resetLink(publicUrl(), token);
  };
}

/** Of the library's 0 to 4: from 2 on, more than a million guesses. Delays of sign-in attempts do the rest. */
const MIN_SCORE = 2;

/** Throws `weak_password`. The library's word lists take 30 MB, so they are loaded with the first password. */
export async function requireStrongPassword(
  password: string,
  { param, known }: { param: "password" | "new_password"; known: readonly string[] },
): Promise<void> {
  const check = await (estimator ??= loadEstimator());
  if (check(password, known) < MIN_SCORE) throw new Problem("weak_password", { param });
}

type Estimator = (password: string, known: readonly string[]) => number;

let estimator: Promise<Estimator> | undefined;

async function loadEstimator(): Promise<Estimator> {
  const { ZxcvbnFactory } = await import("@zxcvbn-ts/core");
  const { adjacencyGraphs, dictionary } = await import("@zxcvbn-ts/language-common");
  const zxcvbn = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password, known) => zxcvbn.check(password, [...known]).score;
}

export const changeEmail: DashboardOperation = (deps) => async (request) => {
  const { email } = request.body as Schemas["ChangeEmailRequest"];
  const user = userOf(request);
  await reauthenticate(deps, request);
  await deps.signInAttempts.countMail(user.email, request.ip);
  await deps.signInAttempts.countMail(email, request.ip);
  const { api } = await deps.auth();
  await api
    .changeEmail({ body: { newEmail: email }, headers: cookieOf(request) })
    .catch((error: unknown) => {
      // The same address, or one that the library does not take: nothing is sent, as for one that is taken.
      if (!isRefusal(error)) throw error;
    });
};

export const sendVerification: DashboardOperation = (deps) => async (request) => {
  const { email, emailVerified } = userOf(request);
  if (!emailVerified) {
    await deps.signInAttempts.countMail(email, request.ip);
    const { api } = await deps.auth();
    await api.sendVerificationEmail({ body: { email }, headers: cookieOf(request) });
  }
};

export const confirmEmail: DashboardOperation = (deps) => async (request) => {
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const { api } = await deps.auth();
  await api
    .verifyEmail({ query: { token }, headers: cookieOf(request) })
    .catch(async (error: unknown) => {
      if (isRefusal(error)) throw new Problem("link_invalid");
      const { updateTo } = decodeJwt(token);
      const taken = typeof updateTo === "string" && (await findUser(deps.sql, updateTo));
      throw taken ? new Problem("email_taken") : error;
    });
  const { requestType, email, updateTo } = decodeJwt(token);
  const result = resultOf(requestType);
  if (result === "changed") {
    for (const address of [email, updateTo]) {
      deps.mailer.send(String(address), deps.messages.signInChanged("email_changed"));
    }
  }
  return { result } satisfies Schemas["EmailConfirmation"];
};

/** The result of a confirmation, from the library's name for the kind of its token. */
function resultOf(requestType: unknown): Schemas["EmailConfirmation"]["result"] {
  if (requestType === "change-email-confirmation") return "sent_to_new_address";
  return requestType === "change-email-verification" ? "changed" : "verified";
}

export const changeName: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const { api } = await deps.auth();
  await api.updateUser({ body: { name }, headers: cookieOf(request) });
};
