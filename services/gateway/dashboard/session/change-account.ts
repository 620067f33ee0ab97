/** How the dashboard's operations change an account: together with an entry in its audit log. */
import type { FastifyRequest } from "fastify";
import type { Db } from "#runtime/postgres/connect.ts";
import { recorder, type Change, type Origin, type RecordChange } from "../../accounts/recorder.ts";
import { Problem, toProblem } from "../../edge/http/problem.ts";
import { lockAccount } from "../../store/accounts.ts";
import { findMembership } from "../../store/memberships.ts";
import type { SessionDeps } from "./deps.ts";
import { membershipOf, userOf, type SignedInUser } from "./request-state.ts";

/** The user as the origin of changes. */
export function originOf(user: Pick<SignedInUser, "id" | "email">, address: string): Origin {
  return { actor: { type: "user", userId: user.id, email: user.email }, address };
}

/**
 * Runs a change and its entries in one transaction. Changes of an account run one after another, and only while the
 * user still has the role that the request was admitted with.
 */
export function changeAccount<T>(
  deps: Pick<SessionDeps, "sql" | "newId" | "clock">,
  request: FastifyRequest,
  work: (sql: Db, record: RecordChange) => Promise<T>,
) {
  const { accountId, userId, role } = membershipOf(request);
  return deps.sql.begin(async (sql) => {
    await lockAccount(sql, accountId);
    const current = await findMembership(sql, accountId, userId);
    if (!current) throw new Problem("account_not_found");
    if (current.role !== role) throw new Problem("role_required");
    return work(sql, recorder(deps, sql, accountId, originOf(userOf(request), request.ip)));
  });
}

/**
 * Records a change of what another service keeps, and then makes it by `call`. Its failure is recorded too; an entry
 * too many misleads less than one that is missing.
 */
export async function recordAndCall<T>(
  deps: Pick<SessionDeps, "sql" | "newId" | "clock" | "log">,
  request: FastifyRequest,
  change: Change,
  call: () => Promise<T>,
): Promise<T> {
  const { accountId } = membershipOf(request);
  const record = recorder(deps, deps.sql, accountId, originOf(userOf(request), request.ip));
  await record(change);
  try {
    return await call();
  } catch (error) {
    await record({ ...change, error: toProblem(error).code }).catch((err: unknown) =>
      deps.log.error({ err, account_id: accountId }, "failure not recorded in the audit log"),
    );
    throw error;
  }
}
