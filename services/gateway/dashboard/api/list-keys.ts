/** listKeys: GET /accounts/{account_id}/keys. */
import { presentApiKey } from "../../presenters/api-key.ts";
import { presentWholeList } from "../../presenters/page.ts";
import { listAccountKeys } from "../../store/account-keys.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MAX_LISTED = 1_000;

export const listKeys: DashboardOperation = (deps) => async (request) => {
  const rows = await listAccountKeys(deps.sql, membershipOf(request).accountId, MAX_LISTED);
  return presentWholeList(rows.map(presentApiKey)) satisfies Schemas["ApiKeyList"];
};
