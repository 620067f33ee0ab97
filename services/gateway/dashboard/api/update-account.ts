/** updateAccount: PATCH /accounts/{account_id}. */
import { presentAccount } from "../../presenters/account.ts";
import { renameAccount } from "../../store/accounts.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const updateAccount: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const membership = membershipOf(request);
  await renameAccount(deps.sql, membership.accountId, name);
  return presentAccount({ ...membership, name });
};
