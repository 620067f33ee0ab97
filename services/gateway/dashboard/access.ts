/** Who may call a route of the dashboard: same origin, session, membership and role, checked in one place. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { barOf } from "../accounts/authenticate.ts";
import type { Caller } from "../accounts/authenticate.ts";
import { Problem } from "../problem.ts";
import { requestLimiter } from "../rate-limit/limit-request.ts";
import { findMembership } from "../store/memberships.ts";
import type { MembershipRow } from "../store/memberships.ts";
import { accessRules } from "./contract.ts";
import type { DashboardDeps } from "./deps.ts";
import { pathId, userOf } from "./request-state.ts";
import { isSameOrigin } from "./same-origin.ts";
import { signedIn } from "./sessions.ts";

const SAFE_METHODS = new Set(["GET", "HEAD"]);

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

/** Answers with the limit that a create is over; everything else that bars a request is thrown. */
export function admission(
  deps: DashboardDeps,
): (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined> {
  const rules = accessRules(deps.dashboard);
  const limitRequest = requestLimiter(deps);
  return async (request, reply) => {
    void reply.headers(HEADERS);
    const { headers, method } = request;
    if (!SAFE_METHODS.has(method) && !isSameOrigin(headers, deps.publicUrl())) {
      throw new Problem("cross_site_request");
    }
    if (request.is404) return undefined;
    const { operationId = "", checks } = request.routeOptions.config;
    const rule = rules.get(operationId);
    if (rule?.isOpen) return undefined;
    request.user = await signedIn(deps, request, reply);
    if (!request.user) throw new Problem("session_required");
    if (!("account_id" in (request.params as object))) return undefined;
    const membership = await membershipIn(deps, request);
    if (rule?.role === "owner" && membership.role !== "owner") throw new Problem("owner_required");
    request.membership = membership;
    request.caller = callerFor(membership, request);
    return checks?.isCreate ? limitRequest(request, reply) : undefined;
  };
}

async function membershipIn(
  { sql }: DashboardDeps,
  request: FastifyRequest,
): Promise<MembershipRow> {
  const accountId = pathId(request, "account_id", "acct");
  const found = accountId && (await findMembership(sql, accountId, userOf(request).id));
  if (!found) throw new Problem("account_not_found");
  return found;
}

/** What the public API's operations know of who calls; the document refuses any other mode. */
function callerFor(row: MembershipRow, request: FastifyRequest): Caller {
  const mode = (request.query as { mode?: unknown }).mode === "live" ? "live" : "test";
  return {
    accountId: row.account_id,
    mode,
    bar: barOf(row, mode),
    limits: { creates: row.creates_per_minute, reads: row.reads_per_minute },
    maxUnfinished: row.max_unfinished,
  };
}
