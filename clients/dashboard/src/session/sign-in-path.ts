/** Where visitors and users whose session has ended are sent. */
import type { Session } from "../api/client.ts";

/** Why a session has ended; "ended" where the server does not say: the browser drops the cookie of one that expires. */
export type EndReason = NonNullable<Session["ended_because"]> | "ended";

/** The sign-in page, which leads to the path and query `to` afterwards, and says why the session of this document has ended. */
export function signInPath(session: Session, to: string, wasSignedIn: boolean): string {
  const reason = session.ended_because ?? (wasSignedIn && "ended");
  const query = new URLSearchParams({ ...(to !== "/" && { to }), ...(reason && { reason }) });
  return query.size === 0 ? "/sign-in" : `/sign-in?${query.toString()}`;
}
