/** setKeyLimits: PUT /accounts/{account_id}/keys/{key_id}/limits. */
import { Problem } from "../../problem.ts";
import { isLiveKey } from "../../store/account-keys.ts";
import { changeLimits } from "../change-limits.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";
import { readLimits } from "./retrieve-limits.ts";

export const setKeyLimits: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const keyId = prefixedPathId(request, "key_id", "key");
  if (!keyId || !(await isLiveKey(deps.sql, accountId, keyId))) throw new Problem("key_not_found");
  await changeLimits(deps, request, keyId);
  return readLimits(deps, request);
};
