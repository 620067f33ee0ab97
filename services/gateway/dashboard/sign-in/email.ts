/** Operations on the e-mail address. */
import { reauthenticate } from "../session/reauthenticate.ts";
import { userOf } from "../session/request-state.ts";
import { cookieOf, isRefusal, linkProblem } from "../session/sessions.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";
import { decodeJwt } from "jose";
import { Problem } from "../../edge/http/problem.ts";
import { hasUser } from "../../store/users.ts";

export const changeEmail: SignInOperation = (deps) => async (request, reply) => {
  const { email, current_password } = request.body as Schemas["ChangeEmailRequest"];
  const user = userOf(request);
  await reauthenticate(deps, request, current_password);
  await deps.signInAttempts.countMail(user.email, request.ip);
  await deps.signInAttempts.countMail(email, request.ip);
  const { api } = await deps.auth();
  await api
    .changeEmail({ body: { newEmail: email }, headers: cookieOf(request) })
    .catch((error: unknown) => {
      // The same address, or one that the library does not take: nothing is sent, as for one that is taken.
      if (!isRefusal(error)) throw error;
    });
  return reply.code(204).send();
};

export const sendVerification: SignInOperation = (deps) => async (request, reply) => {
  const { email, emailVerified } = userOf(request);
  if (!emailVerified) {
    await deps.signInAttempts.countMail(email, request.ip);
    const { api } = await deps.auth();
    await api.sendVerificationEmail({ body: { email }, headers: cookieOf(request) });
  }
  return reply.code(204).send();
};

export const confirmEmail: SignInOperation = (deps) => async (request) => {
  const { token } = request.body as Schemas["LinkTokenRequest"];
  const { api } = await deps.auth();
  await api
    .verifyEmail({ query: { token }, headers: cookieOf(request) })
    .catch(async (error: unknown) => {
      if (isRefusal(error)) throw linkProblem(error);
      const { updateTo } = decodeJwt(token);
      const isTaken = typeof updateTo === "string" && (await hasUser(deps.sql, updateTo));
      throw isTaken ? new Problem("email_taken") : error;
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
