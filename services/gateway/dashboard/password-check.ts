/** Asks a signed-in user for the password again, before what a stolen session must not do. */
import type { FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";
import type { DashboardDeps } from "./deps.ts";
import { userOf } from "./request-state.ts";
import { cookieOf, isRefusal } from "./sessions.ts";

/** Throws `wrong_credentials`, and 429 after too many attempts. */
export async function checkPassword(
  { auth, signInAttempts }: Pick<DashboardDeps, "auth" | "signInAttempts">,
  request: FastifyRequest,
  password: string | null | undefined,
): Promise<void> {
  const { id } = userOf(request);
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
}

export function wrongPassword(): Problem {
  return new Problem("wrong_credentials", { message: "The current password is wrong." });
}
