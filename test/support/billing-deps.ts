/** Billing as tests and benches run it: its RPCs on a database of theirs, and moves of holds. */
import { Registry } from "prom-client";
import { createMetrics, type Deps } from "../../services/billing/rpc/deps.ts";
import { routes } from "../../services/billing/rpc-routes.ts";
import { batchedMoves, type Move } from "../../services/billing/store/moves.ts";
import { randomId } from "#runtime/id.ts";

/** Billing's RPCs with what every test gives them alike. */
export function billingRoutes(base: Pick<Deps, "sql" | "clock">) {
  const moveTokens = batchedMoves(base.sql, base.clock);
  return routes({ ...base, newId: randomId, moveTokens, metrics: createMetrics(new Registry()) });
}

/** A live move of a new hold, under no limit. */
export const newMove = (accountId: string, kind: Move["kind"], tokens = 0n): Move => ({
  accountId,
  mode: "live",
  kind,
  generationId: randomId("vgen"),
  attempt: 1,
  tokens,
  entryId: randomId("txn"),
  maxOpenHolds: 0,
  keyId: null,
  endUser: null,
  rowServer: 0n,
});
