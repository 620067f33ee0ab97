/** listRequests: GET /accounts/{account_id}/requests. */
import { presentAccountRequest } from "../../presenters/account-request.ts";
import { presentWholeList } from "../../presenters/page.ts";
import { listAccountRequests } from "../../store/account-requests.ts";
import { membershipOf } from "../request-state.ts";
import type { DashboardOperation } from "./operation.ts";

const MAX_SHOWN = 20;

export const listRequests: DashboardOperation =
  ({ sql }) =>
  async (request) => {
    const { accountId } = membershipOf(request);
    const rows = await listAccountRequests(sql, accountId, MAX_SHOWN);
    return presentWholeList(rows.map(presentAccountRequest));
  };
