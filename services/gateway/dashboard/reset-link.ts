/** Links that set a new password, made for operators; those that users ask for are the sign-in library's. */
import type { Clock } from "#runtime/clock.ts";
import { addMs } from "#runtime/clock.ts";
import { randomToken } from "#runtime/id.ts";
import { LINK_VALID_SECONDS, resetLink } from "../mail/messages.ts";
import type { Auth } from "./auth.ts";

/** The name under which the sign-in library keeps the token of a link. */
export function resetIdentifier(token: string): string {
  return `reset-password:${token}`;
}

/** `resetPassword` takes the link's token like one of its own. */
export function resetLinks(
  auth: () => Promise<Auth>,
  clock: Clock,
  publicUrl: () => string,
): (userId: string) => Promise<string> {
  return async (userId) => {
    const token = randomToken();
    const { internalAdapter } = await (await auth()).$context;
    await internalAdapter.createVerificationValue({
      value: userId,
      identifier: resetIdentifier(token),
      expiresAt: addMs(clock.now(), LINK_VALID_SECONDS * 1_000),
    });
    return resetLink(publicUrl(), token);
  };
}
