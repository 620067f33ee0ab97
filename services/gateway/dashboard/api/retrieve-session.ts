/** retrieveSession: GET /session. */
import { readSession, sessionEndOf, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { sessionBody } from "./session-body.ts";

export const retrieveSession: DashboardOperation = (deps) => async (request, reply) => {
  const { user, expiresAt, headers } = await readSession(deps, request);
  setCookies(reply, headers);
  const endedBecause = headers && !user ? await sessionEndOf(deps, request) : undefined;
  return {
    ...(await sessionBody(deps, user)),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(endedBecause && { ended_because: endedBecause }),
  } satisfies Schemas["Session"];
};
