/** endOtherSessions: POST /auth/sessions/end-others. */
import { deleteSessions } from "../../store/sessions.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const endOtherSessions: DashboardOperation = (deps) => async (request, reply) => {
  const userId = userOf(request).id;
  await deleteSessions(deps.sql, userId, request.sessionId);
  deps.openStreams.recheck(userId);
  return reply.code(204).send();
};
