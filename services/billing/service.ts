/** Billing's composition root. */
import { openBase, type Overrides, type Service } from "#runtime/service/service.ts";
import type { BillingConfig } from "./config.ts";
import { createMetrics } from "./rpc/deps.ts";
import { routes } from "./rpc-routes.ts";
import { batchedMoves } from "./store/moves.ts";

export async function start(config: BillingConfig, overrides: Overrides = {}): Promise<Service> {
  await using stack = new AsyncDisposableStack();
  const base = await openBase("billing", config, overrides, stack);
  const moveTokens = batchedMoves(base.sql, base.clock);
  const metrics = createMetrics(base.metrics);
  return await base.serve(routes({ ...base, moveTokens, metrics }));
}
