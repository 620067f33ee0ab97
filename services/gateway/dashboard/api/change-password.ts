/** changePassword: POST /auth/password. */
import { Problem } from "../../problem.ts";
import { userOf } from "../request-state.ts";
import { cookieOf, isRefusal, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const changePassword: DashboardOperation = (deps) => async (request, reply) => {
  const body = request.body as Schemas["ChangePasswordRequest"];
  const { id } = userOf(request);
  await deps.signInAttempts.count(id, request.ip);
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
      throw new Problem("wrong_credentials", { message: "The current password is wrong." });
    });
  await deps.signInAttempts.clear(id, request.ip);
  setCookies(reply, response.headers);
  return reply.code(204).send();
};
