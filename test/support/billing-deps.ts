/** Billing as the tests and benches of other services run it: its RPCs on a database of theirs. */
import { Registry } from "prom-client";
import { createMetrics, type Deps } from "../../services/billing/rpc/deps.ts";
import { routes } from "../../services/billing/rpc-routes.ts";
import { batchedMoves } from "../../services/billing/store/moves.ts";
import { randomId } from "#runtime/id.ts";

/** Billing's RPCs with what every test gives them alike. */
export function billingRoutes(base: Pick<Deps, "sql" | "clock">) {
  const moveTokens = batchedMoves(base.sql, base.clock);
  return routes({ ...base, newId: randomId, moveTokens, metrics: createMetrics(new Registry()) });
}
