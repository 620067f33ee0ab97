/** listKeys: GET /accounts/{account_id}/keys. */
import { listAccountKeys } from "../../store/account-keys.ts";
import { membershipOf } from "../request-state.ts";
import { onePage, publicKey } from "./operation.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MOST = 1_000;

export const listKeys: DashboardOperation = (deps) => async (request) => {
  const rows = await listAccountKeys(deps.sql, membershipOf(request).account_id, MOST);
  return onePage(rows.map(publicKey)) satisfies Schemas["ApiKeyList"];
};
