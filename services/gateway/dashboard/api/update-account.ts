/** updateAccount: PATCH /accounts/{account_id}. */
import { presentAccount } from "../../presenters/account.ts";
import { renameAccount } from "../../store/accounts.ts";
import { changeAccount } from "../change-account.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

export const updateAccount: DashboardOperation = (deps) => async (request) => {
  const { name } = request.body as Schemas["NameRequest"];
  const membership = membershipOf(request);
  await changeAccount(deps, request, async (sql, record) => {
    await renameAccount(sql, membership.accountId, name);
    await record({ action: "account.rename", details: { name } });
  });
  return presentAccount({ ...membership, name });
};
