/** completeSignIn: POST /auth/sign-in/second-factor. */
import { Problem } from "../../problem.ts";
import { deleteSessionOf } from "../../store/sessions.ts";
import { cookieOf, isRefusal } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { finishSignIn } from "./sign-in.ts";

export const completeSignIn: DashboardOperation = (deps) => async (request, reply) => {
  const { code, kind } = request.body as Schemas["SecondFactorRequest"];
  await deps.signInAttempts.countAddress(request.ip);
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
  return finishSignIn(deps, request, reply, headers, user);
};

/** The library's refusals: a sign-in that was not begun, too many codes, or a wrong code. */
export function codeProblem(error: unknown): unknown {
  if (!isRefusal(error)) return error;
  const code = String(error.body?.code);
  if (code === "INVALID_TWO_FACTOR_COOKIE") return new Problem("sign_in_again");
  const isOver = /^(?:TOO_MANY_ATTEMPTS|ACCOUNT_TEMPORARILY_LOCKED)/.test(code);
  return new Problem(isOver ? "too_many_attempts" : "wrong_code");
}
