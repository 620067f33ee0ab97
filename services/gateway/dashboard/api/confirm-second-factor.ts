/** confirmSecondFactor: POST /auth/second-factor/confirm. */
import { userOf } from "../request-state.ts";
import { cookieOf, setCookies } from "../sessions.ts";
import { codeProblem } from "./complete-sign-in.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const confirmSecondFactor: DashboardOperation = (deps) => async (request, reply) => {
  const { code } = request.body as Schemas["CodeRequest"];
  const { id } = userOf(request);
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
  setCookies(reply, headers);
  return reply.code(204).send();
};
