/** listCharges: GET /accounts/{account_id}/charges. */
import { presentPage } from "../../presenters/page.ts";
import { readCharges } from "../charges.ts";
import type { DashboardOperation, Schemas } from "./operation.ts";

type Query = { month: string; limit: number; after?: string };

export const listCharges: DashboardOperation = (deps) => async (request) => {
  const { month, limit, after } = request.query as Query;
  const { charges, hasMore } = await readCharges(deps, request, { month, limit, after });
  return presentPage(charges, hasMore) satisfies Schemas["ChargeList"];
};
