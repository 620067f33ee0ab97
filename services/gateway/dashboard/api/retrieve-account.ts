/** retrieveAccount: GET /accounts/{account_id}. */
import { presentAccount } from "../../presenters/account.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

export const retrieveAccount: DashboardOperation = () => async (request) =>
  presentAccount(membershipOf(request));
