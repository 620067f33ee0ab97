/** signIn: POST /auth/sign-in. */
import { Problem } from "../../problem.ts";
import { cookieOf, endSession, isRefusal, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { sessionBody } from "./session-body.ts";

export const signIn: DashboardOperation = (deps) => async (request, reply) => {
  const { email, password } = request.body as Schemas["SignInRequest"];
  await deps.signInAttempts.count(email, request.ip);
  const { api } = await deps.auth();
  const response = await api
    .signInEmail({ body: { email, password }, headers: cookieOf(request), returnHeaders: true })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new Problem("wrong_credentials") : error;
    });
  await deps.signInAttempts.clear(email, request.ip);
  await endSession(deps, request);
  setCookies(reply, response.headers);
  return sessionBody(deps, response.response.user);
};
