/** sendVerification: POST /auth/email/verification. */
import { userOf } from "../request-state.ts";
import { cookieOf } from "../sessions.ts";
import type { DashboardOperation } from "./operation.ts";

export const sendVerification: DashboardOperation = (deps) => async (request, reply) => {
  const { email, emailVerified } = userOf(request);
  if (!emailVerified) {
    await deps.signInAttempts.countMail(email, request.ip);
    const { api } = await deps.auth();
    await api.sendVerificationEmail({ body: { email }, headers: cookieOf(request) });
  }
  return reply.code(204).send();
};
