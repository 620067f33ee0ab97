/** retrieveSession: GET /session. */
import { readSession, sessionEndOf, setCookies } from "../sessions.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";
import { sessionBody } from "./session-body.ts";

export const retrieveSession: DashboardOperation = (deps) => async (request, reply) => {
  const { user, expiresAt, headers } = await readSession(deps, request);
  const endedBecause = headers && !user ? await sessionEndOf(deps, request) : undefined;
  // A cookie that says why the session ended stays until the next sign-in, so that every tab of the browser is told.
  if (!endedBecause) setCookies(reply, headers);
  return {
    ...(await sessionBody(deps, user)),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
    ...(endedBecause && { ended_because: endedBecause }),
  } satisfies Schemas["Session"];
};
