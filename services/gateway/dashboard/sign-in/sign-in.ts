/** Signing in by password, with the second factor where there is one, and signing out. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../edge/http/problem.ts";
import { endSessions, deleteSessionOf } from "../../store/sessions.ts";
import type { SignInDeps, SignInOperation } from "./deps.ts";
import { cookieOf, endSession, isRefusal, setCookies, signedIn } from "../session/sessions.ts";
import type { Schemas } from "../session/operation.ts";
import { sessionBody } from "./sessions.ts";
import { pendingSignIn } from "./pending-sign-in.ts";

export const signIn: SignInOperation = (deps) => async (request, reply) => {
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
  deps: SignInDeps,
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

export const completeSignIn: SignInOperation = (deps) => async (request, reply) => {
  const { code, kind } = request.body as Schemas["SecondFactorRequest"];
  const pending = await pendingSignIn(deps, request);
  if (!pending) throw new Problem("sign_in_again");
  const login = `second factor of ${pending.user.id}`;
  const by = deps.knownBrowsers.attempter(request, pending.user.email);
  await deps.signInAttempts.count(login, by);
  const { api } = await deps.auth();
  const options = { body: { code }, headers: cookieOf(request), returnHeaders: true } as const;
  const { headers, response } = await (
    kind === "recovery" ? api.verifyBackupCode(options) : api.verifyTOTP(options)
  ).catch((error: unknown) => {
    throw codeProblem(error);
  });
  const { user, token } = response;
  if (kind === "app") {
    await deps.signInAttempts.countCode(user.id, code).catch(async (error: unknown) => {
      if (token !== undefined) await deleteSessionOf(deps.sql, token);
      throw error;
    });
  }
  await deps.signInAttempts.clear(login, by);
  return finishSignIn(deps, request, reply, headers, user);
};

/** The library's refusals: a sign-in that was not begun or had too many codes, or a wrong code. */
export function codeProblem(error: unknown): unknown {
  if (!isRefusal(error)) return error;
  const code = String(error.body?.code);
  const isOver = /^(?:INVALID_TWO_FACTOR_COOKIE|TOO_MANY_ATTEMPTS)/.test(code);
  return new Problem(isOver ? "sign_in_again" : "wrong_code");
}

export const signOut: SignInOperation = (deps) => async (request, reply) => {
  await (await pendingSignIn(deps, request))?.forget();
  setCookies(reply, await endSession(deps, request));
  return reply.code(204).send();
};
