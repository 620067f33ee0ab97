/** renameKey: PATCH /accounts/{account_id}/keys/{key_id}. */
import { Problem } from "../../problem.ts";
import { renameAccountKey } from "../../store/account-keys.ts";
import { membershipOf, pathId } from "../request-state.ts";
import { publicKey } from "./operation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const renameKey: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const { account_id: accountId } = membershipOf(request);
  const id = pathId(request, "key_id", "key");
  const row = id && (await renameAccountKey(deps.sql, accountId, id, name));
  if (!row) throw new Problem("key_not_found");
  return publicKey(row);
};
