/** What billing's RPCs depend on, and its metrics. */
import { Counter, type Registry } from "prom-client";
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { MoveTokens } from "../store/moves.ts";

export type Deps = {
  sql: Sql;
  clock: Clock;
  newId: NewId;
  log: Log;
  /** Reserves, captures and releases; concurrent calls share statements. */
  moveTokens: MoveTokens;
  metrics: BillingMetrics;
};

export type BillingMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(registry: Registry) {
  return {
    moves: new Counter({
      name: "media_ledger_moves_total",
      help: "Reserves, captures and releases of holds; repeated ones count again",
      labelNames: ["move", "outcome"] as const,
      registers: [registry],
    }),
  };
}
