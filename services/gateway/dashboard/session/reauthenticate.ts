/** Asks a signed-in user again who they are, before what a stolen session must not do. */
import type { FastifyRequest } from "fastify";
import { addMs } from "#runtime/clock.ts";
import { Problem } from "../../edge/http/problem.ts";
import { beganAfter } from "../../store/sessions.ts";
import { hasPassword } from "../../store/user-logins.ts";
import type { SessionDeps } from "./deps.ts";
import { userOf } from "./request-state.ts";
import { cookieOf, isRefusal } from "./sessions.ts";

const FRESH_MS = 10 * 60_000;

/**
 * Checks the password; of a user who has none, that the session is fresh. Throws `wrong_credentials` or
 * `fresh_sign_in_required`, and 429 after too many attempts or too many changes.
 */
export async function reauthenticate(
  deps: Pick<SessionDeps, "auth" | "signInAttempts" | "sql" | "clock">,
  request: FastifyRequest,
  password: string | null | undefined,
): Promise<void> {
  const { auth, signInAttempts, sql, clock } = deps;
  const { id } = userOf(request);
  if (!(await hasPassword(sql, id))) {
    const freshFrom = addMs(clock.now(), -FRESH_MS);
    const isFresh = await beganAfter(sql, request.sessionId ?? "", freshFrom);
    if (!isFresh) throw new Problem("fresh_sign_in_required");
    return signInAttempts.countChange(id);
  }
  const by = { address: request.ip, browser: request.sessionId };
  await signInAttempts.count(id, by);
  const { api } = await auth();
  await api
    .verifyPassword({ body: { password: password ?? "" }, headers: cookieOf(request) })
    .catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      throw wrongPassword();
    });
  await signInAttempts.clear(id, by);
  await signInAttempts.countChange(id);
}

export function wrongPassword(): Problem {
  return new Problem("wrong_credentials", { message: "The current password is wrong." });
}
