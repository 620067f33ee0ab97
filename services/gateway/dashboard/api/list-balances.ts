/** listBalances: GET /accounts/{account_id}/balances. */
import { modeOf } from "#runtime/mode.ts";
import { required } from "../../operations/operation.ts";
import { presentBalance } from "../../presenters/balance.ts";
import { presentWholeList } from "../../presenters/page.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

const MODES = ["live", "test"] as const;

export const listBalances: DashboardOperation = (deps) => async (request) => {
  const { accountId } = membershipOf(request);
  const balances = await Promise.all(
    MODES.map(async (mode) => {
      const { balance, limits } = await deps.billing.getBalance({ accountId, mode: modeOf(mode) });
      return presentBalance(mode, required(balance), limits);
    }),
  );
  return presentWholeList(balances) satisfies Schemas["BalanceList"];
};
