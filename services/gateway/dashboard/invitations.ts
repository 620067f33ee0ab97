/** The secret part of an invitation's link, and the open invitation that it leads to. */
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";
import { findInvitation } from "../store/invitations.ts";
import type { DashboardDeps } from "./deps.ts";

/** SHA-256 in hex: what it is stored and looked up by. */
export function hashInvitationToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The token in the path. */
export function tokenIn(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}

/** Throws 404 where there is none, or none any more. */
export async function openInvitation(
  { sql, clock }: Pick<DashboardDeps, "sql" | "clock">,
  token: string,
) {
  const row = await findInvitation(sql, hashInvitationToken(token), clock.now());
  if (!row) throw new Problem("invitation_not_found");
  return row;
}
