/** retrieveSession: GET /session. */
import { signedInUser } from "../sessions.ts";
import type { DashboardOperation } from "./operation.ts";
import { sessionBody } from "./session-body.ts";

export const retrieveSession: DashboardOperation = (deps) => async (request, reply) =>
  sessionBody(deps, await signedInUser(deps, request, reply));
