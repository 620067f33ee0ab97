/** The settings of Postgres that services work with, of a session or of a role. */
import type { Limits } from "./limits.ts";

/**
 * Each statement finds its rows by an index, whatever the planner knows of its tables: of one that has just grown it
 * knows nothing, and a connection would keep the plan that reads all of it.
 */
const PLANS = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // Such a plan does not depend on values: it is made once for a connection, not for each statement.
  plan_cache_mode: "force_generic_plan",
};

/** Time limits and plans. */
export function postgresSettings(limits: Limits): Record<string, string | number> {
  return {
    statement_timeout: limits.statement,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    ...PLANS,
  };
}
