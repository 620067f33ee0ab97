/** The sign-in of a browser that waits for the code of the second factor. */
import type { FastifyRequest } from "fastify";
import type { SignInDeps } from "./deps.ts";
import { cookieToken } from "../session/sessions.ts";

/** The name that the sign-in library gives the cookie, without its prefix. */
const COOKIE = "two_factor";

export type PendingSignIn = { user: { id: string; email: string }; forget: () => Promise<void> };

/** Undefined when there is none, or it has ended. */
export async function pendingSignIn(
  { auth, clock }: Pick<SignInDeps, "auth" | "clock">,
  request: FastifyRequest,
): Promise<PendingSignIn | undefined> {
  if (request.headers.cookie === undefined) return undefined;
  const { createAuthCookie, internalAdapter } = await (await auth()).$context;
  // Too random to be guessed; that it is signed is checked when it signs in.
  const identifier = cookieToken(request, createAuthCookie(COOKIE).name);
  if (!identifier) return undefined;
  const pending = await internalAdapter.findVerificationValue(identifier);
  if (!pending || pending.expiresAt <= clock.now()) return undefined;
  const user = await internalAdapter.findUserById(pending.value);
  if (!user) return undefined;
  return { user, forget: () => internalAdapter.deleteVerificationByIdentifier(identifier) };
}
