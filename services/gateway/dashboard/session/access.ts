/** The only admission check of the dashboard's routes, and changes with their entry in the audit log. */
import { isSafe } from "../../domain/requests.ts";
import { callerFor } from "../../edge/http/authenticate.ts";
import { Problem, toProblem } from "../../edge/http/problem.ts";
import type { Admit } from "../../edge/operations/operation.ts";
import { requestLimiter } from "../../edge/rate-limit/limiter.ts";
import * as store from "../../store/store.ts";
import type { DashboardCall, DashboardDeps, SignedInUser } from "./sessions.ts";
import * as session from "./sessions.ts";
import type { IncomingHttpHeaders } from "node:http";
import { type Contract, operationNodes } from "../../edge/http/contract.ts";
import type { Db } from "#runtime/postgres/connect.ts";
import { type Change, type Editor, editorOf, type Origin } from "../../accounts/recorder.ts";

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
};

/** Throws what forbids the request. Returns the problem of a POST over the rate limit: other checks come before it. */
export function admission(deps: DashboardDeps): Admit {
  const rules = accessRules(deps.dashboardContract);
  const limitRequest = requestLimiter(deps);
  return async (request, reply) => {
    void reply.headers(HEADERS);
    const call = { deps, request, reply };
    const { headers, method } = request;
    if (!isSafe(method) && !isSameOrigin(headers, deps.publicUrl())) {
      throw new Problem("cross_site_request");
    }
    if (request.is404) return undefined;
    const { operationId = "" } = request.routeOptions.config;
    const rule = rules.get(operationId);
    if (rule?.isOpen) return undefined;
    // The cookie stays: `GET /session` needs it to say why the session ended.
    request.user = (await session.readSession(call)).user;
    if (!request.user) throw new Problem("session_required");
    if (!("account_id" in (request.params as object))) return undefined;
    const accountId = session.namedInPath(request, "account_id", "account_not_found");
    const { id: userId } = request.user;
    const admittedMembership = async () => {
      const membership = await membershipIn(deps.sql, accountId, userId);
      if (!rule?.roles.has(membership.role)) throw new Problem("role_required");
      return membership;
    };
    request.membership = await admittedMembership();
    // The document's checks refuse any other mode.
    const mode = (request.query as { mode?: unknown }).mode === "live" ? "live" : "test";
    request.caller = callerFor(request.membership, mode);
    request.admitAgain = async () => {
      if (!(await session.readSession(call)).user) throw new Problem("session_required");
      await admittedMembership();
    };
    return method === "POST" ? limitRequest(request, reply) : undefined;
  };
}

async function membershipIn(sql: Db, accountId: string, userId: string) {
  const found = await store.findMembership(sql, accountId, userId);
  if (!found) throw new Problem("account_not_found");
  if (found.deletedAt) throw new Problem("account_deleted");
  return found;
}

/** Whether a page under `publicUrl` sent the request, by Sec-Fetch-Site or Origin, which pages cannot forge. */
export function isSameOrigin(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  return headers.origin !== undefined && headers.origin === new URL(publicUrl).origin;
}

/**
 * Returns, by the id of each operation, whether it needs no session, and which roles may call it where it is on an account.
 * Throws when an operation on an account lists no roles.
 */
export function accessRules({ document }: Pick<Contract, "document">) {
  const rules = operationNodes(document).map((operation) => {
    const { operationId, path, security, "x-roles": roles = [] } = operation;
    if (path.includes("{account_id}") && roles.length === 0) {
      throw new Error(`operation ${operationId} lists no x-roles`);
    }
    return [operationId, { isOpen: security?.length === 0, roles: new Set(roles) }] as const;
  });
  return new Map(rules);
}

export function originOf(user: Pick<SignedInUser, "id" | "email">, address: string): Origin {
  return { actor: "user", userId: user.id, email: user.email, address };
}

/**
 * Runs a change and its entries in one transaction. Changes of an account run one after another, and only while the
 * user still has the role that the request was admitted with.
 */
export function changeAccount<T>(
  { deps, request }: DashboardCall,
  work: (editor: Editor) => Promise<T>,
) {
  const { accountId, userId, role } = session.membershipOf(request);
  return deps.sql.begin(async (sql) => {
    await store.lockAccount(sql, accountId);
    const current = await membershipIn(sql, accountId, userId);
    if (current.role !== role) throw new Problem("role_required");
    const origin = originOf(session.userOf(request), request.ip);
    return work(editorOf(deps, sql, accountId, origin));
  });
}

/** Records a change in another service before `rpc` makes it. A failed call gets a second entry. */
export async function recordAndCall<T>(
  { deps, request }: DashboardCall,
  change: Change,
  rpc: () => Promise<T>,
): Promise<T> {
  const { accountId } = session.membershipOf(request);
  const origin = originOf(session.userOf(request), request.ip);
  const { record } = editorOf(deps, deps.sql, accountId, origin);
  await record(change);
  try {
    return await rpc();
  } catch (error) {
    await record({ ...change, error: toProblem(error).code }).catch((err: unknown) =>
      deps.log.error({ err, account_id: accountId }, "failure not recorded in the audit log"),
    );
    throw error;
  }
}
