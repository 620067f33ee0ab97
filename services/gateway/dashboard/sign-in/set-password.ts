/** Operations that change or reset the password, and links that set a new one. */
import { listSessionTokens, recordSessionEnds } from "../../store/sessions.ts";
import { requireStrongPassword } from "./password-strength.ts";
import { wrongPassword } from "../session/reauthenticate.ts";
import { userOf } from "../session/request-state.ts";
import { cookieOf, isRefusal, setCookies, linkProblem } from "../session/sessions.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";
import type { Auth } from "../session/auth.ts";
import { againIfTaken } from "../session/lost-race.ts";
import { addMs, type Clock } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { LINK_VALID_SECONDS, resetLink } from "../../accounts/mail/messages.ts";

export const changePassword: SignInOperation = (deps) => async (request, reply) => {
  const body = request.body as Schemas["ChangePasswordRequest"];
  const { id, email, name } = userOf(request);
  await requireStrongPassword(body.new_password, { param: "new_password", known: [email, name] });
  const by = { address: request.ip, browser: request.sessionId };
  await deps.signInAttempts.count(id, by);
  const ended = await listSessionTokens(deps.sql, id);
  const { api } = await deps.auth();
  const response = await api
    .changePassword({
      body: {
        currentPassword: body.current_password,
        newPassword: body.new_password,
        revokeOtherSessions: true,
      },
      headers: cookieOf(request),
      returnHeaders: true,
    })
    .catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      throw wrongPassword();
    });
  await deps.signInAttempts.clear(id, by);
  await recordSessionEnds(deps.sql, ended, "password_changed");
  deps.mailer.send(email, deps.messages.signInChanged("password_changed"));
  setCookies(reply, response.headers);
  return reply.code(204).send();
};

export const requestPasswordReset: SignInOperation = (deps) => async (request, reply) => {
  const { email } = request.body as Schemas["EmailRequest"];
  await deps.signInAttempts.countMail(email, request.ip);
  const { api } = await deps.auth();
  await api.requestPasswordReset({ body: { email } }).catch((error: unknown) => {
    // The library refuses some addresses that the document allows. No user has one.
    if (!isRefusal(error)) throw error;
  });
  return reply.code(204).send();
};

export const resetPassword: SignInOperation = (deps) => async (request, reply) => {
  const { token, new_password: newPassword } = request.body as Schemas["ResetPasswordRequest"];
  const { api, $context } = await deps.auth();
  const user = await userOfLink(await $context, token);
  if (user) {
    const known = [user.email, user.name];
    await requireStrongPassword(newPassword, { param: "new_password", known });
  }
  const ended = user ? await listSessionTokens(deps.sql, user.id) : [];
  await againIfTaken(() => api.resetPassword({ body: { token, newPassword } })).catch(
    (error: unknown) => {
      throw linkProblem(error);
    },
  );
  if (user) {
    await recordSessionEnds(deps.sql, ended, "password_changed");
    deps.mailer.send(user.email, deps.messages.signInChanged("password_reset"));
    // Whoever reads the user's mail signs in whatever strangers try meanwhile.
    deps.knownBrowsers.remember(reply, user.email);
  }
  return reply.code(204).send();
};

/** The user whose password the token sets. */
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
