/** revokeKey: DELETE /accounts/{account_id}/keys/{key_id}. */
import { presentApiKey } from "../../presenters/api-key.ts";
import { Problem } from "../../problem.ts";
import { findAccountKey, revokeKeyIfActive } from "../../store/account-keys.ts";
import { changeAccount } from "../change-account.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const revokeKey: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "key_id", "key");
  if (id === undefined) throw new Problem("key_not_found");
  return changeAccount(deps, request, async (sql, record) => {
    const revoked = await revokeKeyIfActive(sql, accountId, id, deps.clock.now());
    const row = revoked ?? (await findAccountKey(sql, accountId, id));
    if (!row) throw new Problem("key_not_found");
    const { mode, name } = row;
    if (revoked) await record({ action: "key.revoke", target: id, mode, details: { name } });
    return presentApiKey(row);
  });
};
