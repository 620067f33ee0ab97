/** The only admission check of the dashboard's routes: same origin, session, membership and role. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { isSafe } from "../../domain/request-method.ts";
import { type Caller, restrictionOf } from "../../edge/http/authenticate.ts";
import { Problem } from "../../edge/http/problem.ts";
import { requestLimiter } from "../../edge/rate-limit/limit-request.ts";
import { findMembership, type MembershipRow } from "../../store/memberships.ts";
import { accessRules } from "./access-rules.ts";
import type { SessionDeps } from "./deps.ts";
import { prefixedPathId, userOf } from "./request-state.ts";
import { readSession } from "./sessions.ts";
import type { IncomingHttpHeaders } from "node:http";

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

/** Throws what forbids the request; returns the problem of a POST over its account's rate limit, thrown after other checks. */
export function admission(
  deps: SessionDeps,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined> {
  const rules = accessRules(deps.dashboardContract);
  const limitRequest = requestLimiter(deps);
  return async (request, reply) => {
    void reply.headers(HEADERS);
    const { headers, method } = request;
    if (!isSafe(method) && !isSameOrigin(headers, deps.publicUrl())) {
      throw new Problem("cross_site_request");
    }
    if (request.is404) return undefined;
    const { operationId = "" } = request.routeOptions.config;
    const rule = rules.get(operationId);
    if (rule?.isOpen) return undefined;
    // The cookie stays: `GET /session` needs it to say why the session ended.
    request.user = (await readSession(deps, request)).user;
    if (!request.user) throw new Problem("session_required");
    if (!("account_id" in (request.params as object))) return undefined;
    const admittedMembership = async () => {
      const membership = await membershipIn(deps, request);
      if (!rule?.roles.has(membership.role)) throw new Problem("role_required");
      return membership;
    };
    request.membership = await admittedMembership();
    request.caller = callerFor(request.membership, request);
    request.admitAgain = async () => {
      if (!(await readSession(deps, request)).user) throw new Problem("session_required");
      await admittedMembership();
    };
    return method === "POST" ? limitRequest(request, reply) : undefined;
  };
}

async function membershipIn({ sql }: SessionDeps, request: FastifyRequest): Promise<MembershipRow> {
  const accountId = prefixedPathId(request, "account_id", "acct");
  const found = accountId && (await findMembership(sql, accountId, userOf(request).id));
  if (!found) throw new Problem("account_not_found");
  return found;
}

/** The caller as the public API's operations expect it. The document's checks refuse any other mode. */
function callerFor(row: MembershipRow, request: FastifyRequest): Caller {
  const mode = (request.query as { mode?: unknown }).mode === "live" ? "live" : "test";
  return {
    accountId: row.accountId,
    mode,
    restriction: restrictionOf(row, mode),
    limits: { creates: row.createsPerMinute, reads: row.readsPerMinute },
    maxUnfinished: row.maxUnfinished,
  };
}

/**
 * Whether the request comes from a page under `publicUrl`, by headers that browsers set and pages cannot forge. False when
 * it has neither Sec-Fetch-Site nor Origin.
 */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && headers.origin === new URL(publicUrl).origin;
}
