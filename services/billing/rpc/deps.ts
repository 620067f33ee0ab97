/** What billing's RPCs depend on, and its metrics. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { Registry } from "prom-client";
import type { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { metricsIn } from "#runtime/metrics/metrics.ts";
import type { Base } from "#runtime/service/service.ts";
import type { MoveTokens } from "../store/moves.ts";

export type Rpcs = ServiceImpl<typeof BillingService>;

export type Deps = Pick<Base, "sql" | "clock" | "newId"> & {
  /** Reserves, captures and releases; concurrent calls share statements. */
  moveTokens: MoveTokens;
  metrics: ReturnType<typeof createMetrics>;
};

export function createMetrics(registry: Registry) {
  return {
    moves: metricsIn(registry).counter(
      "media_ledger_moves_total",
      "Reserves, captures and releases of holds; repeated ones count again",
      ["move", "outcome"],
    ),
  };
}
