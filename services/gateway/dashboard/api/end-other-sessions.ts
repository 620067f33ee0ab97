/** endOtherSessions: POST /auth/sessions/end-others. */
import { deleteSessions } from "../../store/sessions.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const endOtherSessions: DashboardOperation = (deps) => async (request, reply) => {
  await deleteSessions(deps.sql, userOf(request).id, request.sessionId);
  return reply.code(204).send();
};
