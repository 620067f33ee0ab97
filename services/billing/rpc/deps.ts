/** What billing's handlers need. */
import type { Clock } from "#runtime/clock.ts";
import type { NewId } from "#runtime/id.ts";
import type { Log } from "#runtime/log.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import type { BillingMetrics } from "./metrics.ts";
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
