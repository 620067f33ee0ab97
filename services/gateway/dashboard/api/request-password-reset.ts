/** requestPasswordReset: POST /auth/password/forgotten. */
import { isRefusal } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const requestPasswordReset: DashboardOperation = (deps) => async (request, reply) => {
  const { email } = request.body as Schemas["EmailRequest"];
  await deps.signInAttempts.countMail(email, request.ip);
  const { api } = await deps.auth();
  await api.requestPasswordReset({ body: { email } }).catch((error: unknown) => {
    // The library refuses some addresses that the document allows. No user has one.
    if (!isRefusal(error)) throw error;
  });
  return reply.code(204).send();
};
