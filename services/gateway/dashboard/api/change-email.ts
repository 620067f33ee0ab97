/** changeEmail: POST /auth/email. */
import { hasPassword } from "../../store/user-logins.ts";
import { checkPassword } from "../password-check.ts";
import { userOf } from "../request-state.ts";
import { cookieOf, isRefusal } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const changeEmail: DashboardOperation = (deps) => async (request, reply) => {
  const { email, current_password } = request.body as Schemas["ChangeEmailRequest"];
  const user = userOf(request);
  if (await hasPassword(deps.sql, user.id)) await checkPassword(deps, request, current_password);
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
