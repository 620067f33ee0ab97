/** The guards of the ledger, and the tests that need them. */
import { billingLimits } from "./billing-limits.ts";
import { guards, type Mutation } from "./mutation.ts";

const TABLES = "services/billing/migrations/0001_create_billing.sql";
const LOCK_BALANCE = "services/billing/functions/lock_balance.sql";
const CREDIT = "services/billing/functions/credit.sql";
const MOVE_HOLDS = "services/billing/functions/move_holds.sql";

const DATABASE = "test/billing/ledger-guards.test.ts";
const LEDGER = "test/billing/ledger.test.ts";

const ledger: readonly Mutation[] = [
  ...guards(TABLES, DATABASE, {
    "a hold has one entry of each type": "unique (account_id, mode, generation_id, attempt, type),",
    "available is never negative": "check (available >= 0)",
    "the buckets of a balance add up to what was issued": [
      "check (available + reserved + spent = issued)",
      "check (true)",
    ],
    "an entry creates no Tokens": [
      "check (available_change + reserved_change + spent_change = issued_change)",
      "check (true)",
    ],
  }),
  ...guards(TABLES, LEDGER, {
    "the service's role cannot change entries": [
      "grant select on billing.balances, billing.holds, billing.entries to media_billing;",
      "grant select, update, delete on billing.balances, billing.holds, billing.entries to media_billing;",
    ],
  }),
  ...guards(LOCK_BALANCE, DATABASE, {
    "a balance is locked while it changes": [
      `for update;
  if found then
    return balance;`,
      `;
  if found then
    return balance;`,
    ],
  }),
  ...guards(MOVE_HOLDS, DATABASE, {
    "balances are locked in one order": [
      "order by m.account_id, m.mode, m.ordinal",
      "order by md5(m.account_id || pg_backend_pid()), m.account_id, m.mode, m.ordinal",
    ],
  }),
  ...guards(CREDIT, LEDGER, {
    "a reference counts once": ["if found then", "if false then"],
    "a reference of an adjustment is not a recharge's":
      "when earlier.type <> p_type then 'other_type'",
  }),
  ...guards(MOVE_HOLDS, LEDGER, {
    "a reserve is covered by what is available": ["balance.available < move.tokens", "false"],
    "a release before its reserve leaves a refused hold": [
      "elsif move.kind = 'release' and not found then",
      "elsif move.kind = 'release' and not found and false then",
    ],
    "a capture charges no more than is held": ["move.tokens > hold.tokens then", "false then"],
    "a repeated capture charges the same": ["move.tokens <> hold.captured then", "false then"],
    "what a capture does not charge is restored": [
      "balance.available := balance.available + hold.tokens - charged;",
      "balance.available := balance.available + case move.kind when 'release' then hold.tokens else 0 end;",
    ],
    "a hold is resolved once": ["elsif hold.state = 'held' then", "elsif true then"],
    "a repeated reserve has the same price": ["elsif hold.tokens <> move.tokens", "elsif false"],
  }),
  ...guards(MOVE_HOLDS, "test/billing/limit-open-holds.test.ts", {
    "open holds are limited": ["if move.max_open_holds > 0 and", "if false and"],
  }),
];

export const billing: readonly Mutation[] = [...ledger, ...billingLimits];
