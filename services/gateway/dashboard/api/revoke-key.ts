/** revokeKey: DELETE /accounts/{account_id}/keys/{key_id}. */
import { presentApiKey } from "../../presenters/api-key.ts";
import { Problem } from "../../problem.ts";
import { revokeAccountKey } from "../../store/account-keys.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const revokeKey: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "key_id", "key");
  const row = id && (await revokeAccountKey(deps.sql, accountId, id, deps.clock.now()));
  if (!row) throw new Problem("key_not_found");
  return presentApiKey(row);
};
