/** retrieveAccount: GET /accounts/{account_id}. */
import { membershipOf } from "../request-state.ts";
import { publicAccount } from "./operation.ts";
import type { DashboardOperation } from "./operation.ts";

export const retrieveAccount: DashboardOperation = () => async (request) =>
  publicAccount(membershipOf(request));
