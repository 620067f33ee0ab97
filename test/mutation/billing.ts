/** The guards of the ledger, and the tests that need them. */
import { billingLimits } from "./billing-limits.ts";
import type { Mutation } from "./mutation.ts";

const TABLES = "services/billing/migrations/0001_create_billing.sql";
const LOCK_BALANCE = "services/billing/functions/lock_balance.sql";
const RECHARGE = "services/billing/functions/recharge.sql";
const MOVE_HOLDS = "services/billing/functions/move_holds.sql";
const MOVE_ONE_BY_ONE = "services/billing/functions/move_one_by_one.sql";

const DATABASE = "test/billing/ledger-guards.test.ts";
const LEDGER = "test/billing/ledger.test.ts";

/**
 * That a balance covers its batch, and that the reserves of a batch are new, are not guards of what is written as a
 * whole: a constraint refuses the statement, and its moves are sent one by one.
 */
const ledger: readonly Mutation[] = [
  {
    guard: "a hold has one entry of each type",
    file: TABLES,
    old: "  unique (account_id, mode, generation_id, attempt, type),\n",
    new: "",
    test: DATABASE,
  },
  {
    guard: "available is never negative",
    file: TABLES,
    old: "available bigint not null default 0 check (available >= 0)",
    new: "available bigint not null default 0",
    test: DATABASE,
  },
  {
    guard: "the buckets of a balance add up to what was issued",
    file: TABLES,
    old: "check (available + reserved + spent = issued)",
    new: "check (true)",
    test: DATABASE,
  },
  {
    guard: "an entry creates no Tokens",
    file: TABLES,
    old: "check (available_change + reserved_change + spent_change = issued_change)",
    new: "check (true)",
    test: DATABASE,
  },
  {
    guard: "the service's role cannot change entries",
    file: TABLES,
    old: "grant select on billing.balances, billing.holds, billing.entries to media_billing;",
    new: "grant select, update, delete on billing.balances, billing.holds, billing.entries to media_billing;",
    test: LEDGER,
  },
  {
    guard: "a balance is locked while it changes",
    file: LOCK_BALANCE,
    old: "for update;\n  if found then\n    return balance;",
    new: ";\n  if found then\n    return balance;",
    test: DATABASE,
  },
  {
    guard: "balances are locked in one order",
    file: MOVE_HOLDS,
    old: "\n      order by m.account_id, m.mode) named);",
    new: ") named order by random());",
    test: DATABASE,
  },
  {
    guard: "holds that are resolved as a whole are open",
    file: MOVE_HOLDS,
    old: "else m.state is not distinct from 'held' end",
    new: "else true end",
    test: DATABASE,
  },
  {
    guard: "a hold that is named twice is not resolved as a whole",
    file: MOVE_HOLDS,
    old: "\n            and count(*) = count(distinct (m.generation_id, m.attempt)) as are_plain",
    new: " as are_plain",
    test: DATABASE,
  },
  {
    guard: "open holds are limited for what is reserved as a whole",
    file: MOVE_HOLDS,
    old: "\n        and b.open_holds + batch.reserves <= coalesce(batch.max_open, 2147483647)",
    new: "",
    test: "test/billing/limit-open-holds.test.ts",
  },
  {
    guard: "a reference counts once",
    file: RECHARGE,
    old: "  if found then\n    outcome := case\n      when earlier.type <> 'recharge'",
    new: "  if false then\n    outcome := case\n      when earlier.type <> 'recharge'",
    test: LEDGER,
  },
  {
    guard: "a reference of an adjustment is not a recharge's",
    file: RECHARGE,
    old: "      when earlier.type <> 'recharge' then 'other_type'\n",
    new: "",
    test: LEDGER,
  },
  {
    guard: "a reserve is covered by what is available",
    file: MOVE_ONE_BY_ONE,
    old: "elsif balance.available < move.tokens then",
    new: "elsif false then",
    test: LEDGER,
  },
  {
    guard: "open holds are limited",
    file: MOVE_ONE_BY_ONE,
    old: "if move.max_open_holds > 0 and",
    new: "if false and",
    test: "test/billing/limit-open-holds.test.ts",
  },
  {
    guard: "a release before its reserve leaves a refused hold",
    file: MOVE_ONE_BY_ONE,
    old: "elsif move.kind = 'release' and not found then",
    new: "elsif move.kind = 'release' and not found and false then",
    test: LEDGER,
  },
  {
    guard: "a hold is resolved once",
    file: MOVE_ONE_BY_ONE,
    old: "elsif hold.state = 'held' then",
    new: "elsif true then",
    test: LEDGER,
  },
  {
    guard: "a repeated reserve has the same price",
    file: MOVE_ONE_BY_ONE,
    old: "elsif hold.tokens <> move.tokens then",
    new: "elsif false then",
    test: LEDGER,
  },
];

export const billing: readonly Mutation[] = [...ledger, ...billingLimits];
