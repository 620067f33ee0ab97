/** setLimits: PUT /accounts/{account_id}/limits. */
import { changeLimits } from "../change-limits.ts";
import type { DashboardOperation } from "./operation.ts";
import { readLimits } from "./retrieve-limits.ts";

export const setLimits: DashboardOperation = (deps) => async (request) => {
  await changeLimits(deps, request, undefined);
  return readLimits(deps, request);
};
