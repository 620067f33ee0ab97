/** signOut: POST /auth/sign-out. */
import { endSession, setCookies } from "../sessions.ts";
import type { DashboardOperation } from "./operation.ts";

export const signOut: DashboardOperation = (deps) => async (request, reply) => {
  setCookies(reply, await endSession(deps, request));
  return reply.code(204).send();
};
