/** Invitation links: the token in a link, its hash and the open invitation that it identifies. */
import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { randomToken } from "#runtime/id.ts";
import { Problem } from "../problem.ts";
import { findInvitation } from "../store/invitations.ts";
import type { DashboardDeps } from "./deps.ts";

/** SHA-256 in hex: the form in which a token is stored and looked up. */
export function hashInvitationToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

const MAILED = "mailed-";

/** Only its hash is stored. One that is only mailed says so, and then proves the address of whoever has it. */
export function newInvitationToken(mailed: boolean): string {
  return `${mailed ? MAILED : ""}${randomToken()}`;
}

/** Whether the token, of an invitation that was found, has left the service only by mail. */
export function isMailed(token: string): boolean {
  return token.startsWith(MAILED);
}

/** The token in the path. */
export function pathToken(request: FastifyRequest): string {
  return (request.params as { token: string }).token;
}

/** The open invitation of a token; 404 when there is none, or it was used, withdrawn or has expired. */
export async function requireOpenInvitation(
  { sql, clock }: Pick<DashboardDeps, "sql" | "clock">,
  token: string,
) {
  const row = await findInvitation(sql, hashInvitationToken(token), clock.now());
  if (!row) throw new Problem("invitation_not_found");
  return row;
}
