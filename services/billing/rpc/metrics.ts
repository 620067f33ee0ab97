/** Billing's own metrics: what becomes of moves of Tokens. */
import { Counter, type Registry } from "prom-client";

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
