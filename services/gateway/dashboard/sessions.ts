/** Sessions: reading the user from the request's cookie, passing cookies on, ending the session. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";
import type { DashboardDeps } from "./deps.ts";
import type { SignedInUser } from "./request-state.ts";

/** The signed-in user, if any; a disabled user is not signed in. An ended session clears its cookie on the reply. */
export async function signedInUser(
  { auth }: Pick<DashboardDeps, "auth">,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedInUser | undefined> {
  if (request.headers.cookie === undefined) return undefined;
  const { api } = await auth();
  const response = await api.getSession({ headers: cookieOf(request), returnHeaders: true });
  setCookies(reply, response.headers);
  if (!response.response) return undefined;
  const { user, session } = response.response;
  if (user.disabledAt) return undefined;
  request.sessionId = session.id;
  return signedIn(user);
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
  { auth }: Pick<DashboardDeps, "auth">,
  request: FastifyRequest,
): Promise<Headers | undefined> {
  if (request.headers.cookie === undefined) return undefined;
  const { api } = await auth();
  const { headers } = await api.signOut({ headers: cookieOf(request), returnHeaders: true });
  return headers;
}
