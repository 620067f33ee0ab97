/** changePassword: POST /auth/password. */
import { listSessionTokens, recordSessionEnds } from "../../store/sessions.ts";
import { wrongPassword } from "../password-check.ts";
import { userOf } from "../request-state.ts";
import { cookieOf, isRefusal, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const changePassword: DashboardOperation = (deps) => async (request, reply) => {
  const body = request.body as Schemas["ChangePasswordRequest"];
  const { id } = userOf(request);
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
  deps.openStreams.recheck(id);
  setCookies(reply, response.headers);
  return reply.code(204).send();
};
