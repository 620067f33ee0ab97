/** The settings of Postgres that services work with, of a session or of a role. */
import type { Limits } from "./limits.ts";

/**
 * Each statement finds its rows by an index, where there is one, whatever the planner knows of its tables: of one that
 * has just grown it knows nothing, and a connection would keep the plan that reads all of it.
 */
const PLANS = {
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  // A plan that is not a favourite costs so much that Postgres would compile it.
  jit: "off",
  // Such a plan does not depend on parameters. A prepared statement has it made once, not for each execution.
  plan_cache_mode: "force_generic_plan",
};

/** For a transaction that reads much: the planner has all plans to choose from, and knows the parameters. */
export const ANY_PLAN = {
  enable_hashjoin: "on",
  enable_mergejoin: "on",
  enable_seqscan: "on",
  plan_cache_mode: "auto",
};

/** The first version that knows transaction_timeout; earlier ones refuse it. */
export const TRANSACTION_TIMEOUT_SINCE = 170_000;

/** Time limits and plans that every version knows. */
export function postgresSettings(limits: Limits): Record<string, string | number> {
  return {
    statement_timeout: limits.statement,
    idle_in_transaction_session_timeout: limits.idleInTransaction,
    ...PLANS,
  };
}
