/** Operations on the second factor. */
import { Problem } from "../../edge/http/problem.ts";
import { againIfTaken } from "../session/lost-race.ts";
import { reauthenticate } from "../session/reauthenticate.ts";
import { userOf } from "../session/request-state.ts";
import { cookieOf, setCookies } from "../session/sessions.ts";
import type { SignInOperation } from "./deps.ts";
import type { Schemas } from "../session/operation.ts";
import { codeProblem } from "./sign-in.ts";
import { deleteSecondFactor } from "../../store/users.ts";

export const beginSecondFactor: SignInOperation = (deps) => async (request) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await reauthenticate(deps, request, password);
  if (userOf(request).hasSecondFactor) throw new Problem("second_factor_exists");
  const { api } = await deps.auth();
  const begun = await againIfTaken(() =>
    api.enableTwoFactor({ body: { password: password ?? "" }, headers: cookieOf(request) }),
  );
  if (begun.method !== "totp") throw new Error("the second factor is no authenticator app");
  return {
    uri: begun.totpURI,
    recovery_codes: begun.backupCodes,
  } satisfies Schemas["NewSecondFactor"];
};

export const confirmSecondFactor: SignInOperation = (deps) => async (request, reply) => {
  const { code } = request.body as Schemas["CodeRequest"];
  const { id, email, hasSecondFactor } = userOf(request);
  const by = { address: request.ip, browser: request.sessionId };
  await deps.signInAttempts.count(id, by);
  const { api } = await deps.auth();
  const { headers } = await api
    .verifyTOTP({ body: { code }, headers: cookieOf(request), returnHeaders: true })
    .catch((error: unknown) => {
      throw codeProblem(error);
    });
  await deps.signInAttempts.clear(id, by);
  await deps.signInAttempts.countCode(id, code);
  if (!hasSecondFactor) {
    deps.mailer.send(email, deps.messages.signInChanged("second_factor_added"));
  }
  setCookies(reply, headers);
  return reply.code(204).send();
};

export const removeSecondFactor: SignInOperation = (deps) => async (request, reply) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await reauthenticate(deps, request, password);
  const { id, email } = userOf(request);
  await deps.sql.begin((transaction) => deleteSecondFactor(transaction, id));
  deps.mailer.send(email, deps.messages.signInChanged("second_factor_removed"));
  return reply.code(204).send();
};

export const renewRecoveryCodes: SignInOperation = (deps) => async (request) => {
  const { password } = request.body as Schemas["PasswordRequest"];
  await reauthenticate(deps, request, password);
  const user = userOf(request);
  if (!user.hasSecondFactor) throw new Problem("no_second_factor");
  const { api } = await deps.auth();
  const { backupCodes } = await api.generateBackupCodes({
    body: { password: password ?? "" },
    headers: cookieOf(request),
  });
  deps.mailer.send(user.email, deps.messages.signInChanged("recovery_codes_renewed"));
  return { recovery_codes: backupCodes } satisfies Schemas["RecoveryCodes"];
};
