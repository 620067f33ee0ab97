/** retrieveLimits: GET /accounts/{account_id}/limits. */
import type { FastifyRequest } from "fastify";
import { presentAccountLimits } from "../../presenters/account-limits.ts";
import type { DashboardDeps } from "../deps.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const retrieveLimits: DashboardOperation = (deps) => (request) => readLimits(deps, request);

/** The limits of the account in the path as they are now. */
export async function readLimits(
  { billing }: Pick<DashboardDeps, "billing">,
  request: FastifyRequest,
): Promise<Schemas["AccountLimits"]> {
  const { accountId } = membershipOf(request);
  return presentAccountLimits(await billing.getTokenLimits({ accountId }));
}
