/** Where visitors and users whose session has ended are sent. */
import type { Session } from "../api/client.ts";

/** Why a session has ended; "ended" where it is not known. */
export type EndReason = NonNullable<Session["ended_because"]> | "expired" | "ended";

/**
 * The sign-in page, which leads to the path `to` afterwards and says why the session has ended. `before` is the session
 * as this document knew it, if it knew one.
 */
export function signInPath(session: Session, to: string, before: Session | undefined): string {
  const reason = endReason(session, before, Date.now());
  const query = new URLSearchParams({ ...(to !== "/" && { to }), ...(reason && { reason }) });
  return query.size === 0 ? "/sign-in" : `/sign-in?${query.toString()}`;
}

export function endReason(
  session: Pick<Session, "ended_because">,
  before: Pick<Session, "expires_at"> | undefined,
  nowMs: number,
): EndReason | undefined {
  if (session.ended_because) return session.ended_because;
  if (!before) return undefined;
  // The browser drops the cookie when the session expires, so the server cannot say it.
  const { expires_at: end } = before;
  return end !== undefined && Date.parse(end) <= nowMs ? "expired" : "ended";
}
