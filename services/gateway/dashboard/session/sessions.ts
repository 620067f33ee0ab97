/** Sessions: reading the user from the request's cookie, passing cookies on, ending the session. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../../edge/http/problem.ts";
import { findSessionEnd, type SessionEndCause } from "../../store/sessions.ts";
import type { SessionDeps } from "./deps.ts";
import type { SignedInUser } from "./request-state.ts";

export type RequestSession = {
  /** A disabled user is not signed in. */
  user?: SignedInUser;
  expiresAt?: Date;
  /** Clear the cookie of a session that has ended. */
  headers?: Headers;
};

/** Reads the session of the request, which is empty for a visitor. */
export async function readSession(
  { auth }: Pick<SessionDeps, "auth">,
  request: FastifyRequest,
): Promise<RequestSession> {
  if (request.headers.cookie === undefined) return {};
  const { api } = await auth();
  const { response, headers } = await api.getSession({
    headers: cookieOf(request),
    returnHeaders: true,
  });
  if (!response || response.user.disabledAt) return { headers };
  request.sessionId = response.session.id;
  return { user: signedIn(response.user), expiresAt: response.session.expiresAt, headers };
}

/** Why the session of the request's cookie was ended, where that is recorded. */
export async function sessionEndOf(
  { auth, sql }: Pick<SessionDeps, "auth" | "sql">,
  request: FastifyRequest,
): Promise<SessionEndCause | undefined> {
  const { authCookies } = await (await auth()).$context;
  const token = cookieToken(request, authCookies.sessionToken.name);
  return token ? findSessionEnd(sql, token) : undefined;
}

/** What stands before the signature in the library's cookie of this name. */
export function cookieToken(
  { headers: { cookie = "" } }: FastifyRequest,
  name: string,
): string | undefined {
  const named = cookie.split(/; */).find((pair) => pair.startsWith(`${name}=`));
  return named?.slice(name.length + 1).split(".")[0];
}

/** What the dashboard needs of the library's user. */
export function signedIn(user: {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  twoFactorEnabled?: boolean | null | undefined;
}): SignedInUser {
  const { id, name, email, emailVerified, twoFactorEnabled } = user;
  return { id, name, email, emailVerified, hasSecondFactor: twoFactorEnabled === true };
}

/** The request headers that are passed to the sign-in library. */
export function cookieOf(request: FastifyRequest): Headers {
  const { cookie, "user-agent": agent } = request.headers;
  const headers = new Headers();
  if (cookie !== undefined) headers.set("cookie", cookie);
  if (agent !== undefined) headers.set("user-agent", agent.slice(0, 300));
  return headers;
}

/** Whether the library refused the call, rather than failed. */
export function isRefusal(error: unknown): error is Error & { body?: { code?: string } } {
  return error instanceof Error && error.name === "APIError";
}

/** The problem of a mailed link's token that the library refused; any other error as it is. */
export function linkProblem(error: unknown): unknown {
  return isRefusal(error) ? new Problem("link_invalid") : error;
}

/** Copies the cookies of the library's response to the reply. */
export function setCookies(reply: FastifyReply, headers: Headers | null | undefined): void {
  const cookies = headers?.getSetCookie() ?? [];
  if (cookies.length > 0) void reply.header("set-cookie", cookies);
}

/** Ends the session of the request, if any, and returns the headers that clear its cookie. */
export async function endSession(
  { auth }: Pick<SessionDeps, "auth">,
  request: FastifyRequest,
): Promise<Headers | undefined> {
  if (request.headers.cookie === undefined) return undefined;
  const { api } = await auth();
  const { headers } = await api.signOut({ headers: cookieOf(request), returnHeaders: true });
  return headers;
}
