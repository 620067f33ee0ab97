/** renameKey: PATCH /accounts/{account_id}/keys/{key_id}. */
import { presentApiKey } from "../../presenters/api-key.ts";
import { Problem } from "../../problem.ts";
import { renameAccountKey } from "../../store/account-keys.ts";
import { changeAccount } from "../change-account.ts";
import { membershipOf, prefixedPathId } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const renameKey: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const { accountId } = membershipOf(request);
  const id = prefixedPathId(request, "key_id", "key");
  return changeAccount(deps, request, async (sql, record) => {
    const row = id && (await renameAccountKey(sql, accountId, id, name));
    if (!row) throw new Problem("key_not_found");
    await record({ action: "key.rename", target: id, mode: row.mode, details: { name } });
    return presentApiKey(row);
  });
};
