/** endSession: DELETE /auth/sessions/{session_id}. */
import { isToken } from "#runtime/id.ts";
import { Problem } from "../../problem.ts";
import { endSession as end } from "../../store/sessions.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const endSession: DashboardOperation = (deps) => async (request, reply) => {
  const { session_id: id } = request.params as { session_id: string };
  const userId = userOf(request).id;
  const isEnded = isToken(id) && (await end(deps.sql, userId, id));
  if (!isEnded) throw new Problem("session_not_found");
  deps.openStreams.recheck(userId);
  return reply.code(204).send();
};
