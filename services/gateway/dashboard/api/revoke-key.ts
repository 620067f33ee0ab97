/** revokeKey: DELETE /accounts/{account_id}/keys/{key_id}. */
import { Problem } from "../../problem.ts";
import { revokeAccountKey } from "../../store/account-keys.ts";
import { membershipOf, pathId } from "../request-state.ts";
import { publicKey } from "./operation.ts";
import type { DashboardOperation } from "./operation.ts";

export const revokeKey: DashboardOperation = (deps) => async (request) => {
  const { account_id: accountId } = membershipOf(request);
  const id = pathId(request, "key_id", "key");
  const row = id && (await revokeAccountKey(deps.sql, accountId, id, deps.clock.now()));
  if (!row) throw new Problem("key_not_found");
  return publicKey(row);
};
