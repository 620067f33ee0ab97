/** signIn: POST /auth/sign-in. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../problem.ts";
import { endSessions } from "../../store/sessions.ts";
import type { DashboardDeps } from "../deps.ts";
import { cookieOf, endSession, isRefusal, setCookies, signedIn } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { sessionBody } from "./session-body.ts";

export const signIn: DashboardOperation = (deps) => async (request, reply) => {
  const { email, password } = request.body as Schemas["SignInRequest"];
  const by = deps.knownBrowsers.attempter(request, email);
  await deps.signInAttempts.count(email, by);
  const { api } = await deps.auth();
  const { headers, response } = await api
    .signInEmail({ body: { email, password }, headers: cookieOf(request), returnHeaders: true })
    .catch((error: unknown) => {
      throw isRefusal(error) ? new Problem("wrong_credentials") : error;
    });
  await deps.signInAttempts.clear(email, by);
  if ("twoFactorRedirect" in response) {
    await endSession(deps, request);
    setCookies(reply, headers);
    return { ...(await sessionBody(deps, undefined)), needs_second_factor: true };
  }
  return finishSignIn(deps, request, reply, headers, response.user);
};

type LibraryUser = Parameters<typeof signedIn>[0] & { disabledAt?: Date | null | undefined };

/** Ends the browser's earlier session and passes the new one on, unless the user is disabled. */
export async function finishSignIn(
  deps: DashboardDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  headers: Headers,
  user: LibraryUser,
): Promise<Schemas["Session"]> {
  await endSession(deps, request);
  if (user.disabledAt) {
    await endSessions(deps.sql, user.id, "user_disabled");
    throw new Problem("user_disabled");
  }
  setCookies(reply, headers);
  deps.knownBrowsers.remember(reply, user.email);
  return sessionBody(deps, signedIn(user));
}
