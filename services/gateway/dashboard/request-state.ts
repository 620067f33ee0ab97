/** What the dashboard remembers of a request: who is signed in, and the account that the path names. */
import type { FastifyRequest } from "fastify";
import { isId } from "#runtime/id.ts";
import type { IdPrefix } from "#runtime/id.ts";
import type { MembershipRow } from "../store/memberships.ts";

export type SignedIn = { id: string; name: string; email: string };

declare module "fastify" {
  interface FastifyRequest {
    user: SignedIn | undefined;
    membership: MembershipRow | undefined;
  }
}

/** Who is signed in; only routes that are not open have passed the check that sets it. */
export function userOf(request: FastifyRequest): SignedIn {
  if (!request.user) throw new Error("this route is not behind a session");
  return request.user;
}

/** The account in the path, as the user sees it. */
export function membershipOf(request: FastifyRequest): MembershipRow {
  if (!request.membership) throw new Error("this route is not one of an account");
  return request.membership;
}

/** The id of that name in the path; undefined where it has not the form of one. */
export function pathId(
  request: FastifyRequest,
  name: string,
  prefix: IdPrefix,
): string | undefined {
  const id = (request.params as Record<string, string | undefined>)[name] ?? "";
  return isId(prefix, id) ? id : undefined;
}
