/** listSessions: GET /auth/sessions. */
import { listSessions as list } from "../../store/sessions.ts";
import { presentPage } from "../../presenters/page.ts";
import { userOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_SESSIONS = 100;

export const listSessions: DashboardOperation = (deps) => async (request) => {
  const rows = await list(deps.sql, userOf(request).id, deps.clock.now(), MAX_SESSIONS + 1);
  const data = rows.slice(0, MAX_SESSIONS).map((row) => ({
    id: row.id,
    object: "user_session" as const,
    is_current: row.id === request.sessionId,
    ...(row.userAgent === null ? {} : { user_agent: row.userAgent }),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
  }));
  return presentPage(data, rows.length > MAX_SESSIONS) satisfies Schemas["UserSessionList"];
};
