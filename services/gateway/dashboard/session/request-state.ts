/** The dashboard's additions to a request: the signed-in user and their membership in the account of the path. */
import type { FastifyRequest } from "fastify";
import { isId, type IdPrefix } from "#runtime/id.ts";
import type { MembershipRow } from "../../store/memberships.ts";

export type SignedInUser = {
  id: string;
  name: string;
  email: string;
  emailVerified: boolean;
  hasSecondFactor: boolean;
};

declare module "fastify" {
  interface FastifyRequest {
    user: SignedInUser | undefined;
    /** The id of the signed-in user's session. */
    sessionId: string | undefined;
    membership: MembershipRow | undefined;
  }
}

/** The signed-in user. Throws on routes that need no session. */
export function userOf(request: FastifyRequest): SignedInUser {
  if (!request.user) throw new Error("this route needs no session");
  return request.user;
}

/** The user's membership in the account of the path. Throws on routes without an account. */
export function membershipOf(request: FastifyRequest): MembershipRow {
  if (!request.membership) throw new Error("this route has no account in its path");
  return request.membership;
}

/** The path parameter `name` as an id with `prefix`; undefined when it is not well-formed. */
export function prefixedPathId(
  request: FastifyRequest,
  name: string,
  prefix: IdPrefix,
): string | undefined {
  const id = (request.params as Record<string, string | undefined>)[name] ?? "";
  return isId(prefix, id) ? id : undefined;
}
