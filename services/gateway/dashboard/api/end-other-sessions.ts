/** endOtherSessions: POST /auth/sessions/end-others. */
import { endSessions } from "../../store/sessions.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const endOtherSessions: DashboardOperation = (deps) => async (request, reply) => {
  const userId = userOf(request).id;
  await endSessions(deps.sql, userId, "ended_elsewhere", request.sessionId);
  deps.openStreams.recheck(userId);
  return reply.code(204).send();
};
