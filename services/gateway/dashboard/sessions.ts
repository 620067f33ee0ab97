/** The session of a request: read from its cookie, begun, renewed and ended. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { DashboardDeps } from "./deps.ts";
import type { SignedIn } from "./request-state.ts";

/** Who is signed in, if anyone. A session that was renewed has its cookie renewed. */
export async function signedIn(
  { auth }: Pick<DashboardDeps, "auth">,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  if (request.headers.cookie === undefined) return undefined;
  const { api } = await auth();
  const answer = await api.getSession({ headers: cookieOf(request), returnHeaders: true });
  setCookies(reply, answer.headers);
  const user = answer.response?.user;
  return user ? { id: user.id, name: user.name, email: user.email } : undefined;
}

/** The headers of a request that the sign-in library is to see. */
export function cookieOf(request: FastifyRequest): Headers {
  const { cookie, "user-agent": agent } = request.headers;
  const headers = new Headers();
  if (cookie !== undefined) headers.set("cookie", cookie);
  if (agent !== undefined) headers.set("user-agent", agent.slice(0, 300));
  return headers;
}

/** Whether the library refused what it was asked, as against failing. */
export function isRefusal(error: unknown): error is Error & { body?: { code?: string } } {
  return error instanceof Error && error.name === "APIError";
}

/** Hands the cookies of the library's answer on to the browser. */
export function setCookies(reply: FastifyReply, headers: Headers | null | undefined): void {
  const cookies = headers?.getSetCookie() ?? [];
  if (cookies.length > 0) void reply.header("set-cookie", cookies);
}

/** Ends the session that the request came with, whoever signs in next with this browser. */
export async function endSession(
  { auth }: Pick<DashboardDeps, "auth">,
  request: FastifyRequest,
): Promise<Headers | undefined> {
  if (request.headers.cookie === undefined) return undefined;
  const { api } = await auth();
  const answer = await api.signOut({ headers: cookieOf(request), returnHeaders: true });
  return answer.headers;
}
