/** The guards of limits of Tokens and of alerts, and the tests that need them. */
import type { Mutation } from "./mutation.ts";

const COUNT = "services/billing/functions/count_in_limits.sql";
const RESTORE = "services/billing/functions/restore_in_limits.sql";
const SET = "services/billing/functions/set_token_limits.sql";
const NOTE = "services/billing/functions/note_limit.sql";
const WATCH = "services/billing/functions/watch_balance.sql";
const MOVE_HOLDS = "services/billing/functions/move_holds.sql";
const ALERTS = "services/billing/store/alerts.ts";

const test = "test/billing/limits-and-alerts.test.ts";

export const billingLimits: readonly Mutation[] = [
  {
    guard: "a create beyond a limit is refused",
    file: COUNT,
    old: "  is_refused := found;",
    new: "  is_refused := false;",
    test,
  },
  {
    guard: "the limits of a key hold for that key alone",
    file: COUNT,
    old: "where l.account_id = p_account and l.key_id in ('', p_key) and coalesce",
    new: "where l.account_id = p_account and coalesce",
    test,
  },
  {
    guard: "a refused create counts for no limit",
    file: COUNT,
    old: "case when is_refused then 0 else p_tokens end",
    new: "p_tokens",
    test,
  },
  {
    guard: "a batch of an account with limits is decided move by move",
    file: MOVE_HOLDS,
    old: "b.has_limits or ",
    new: "",
    test,
  },
  {
    guard: "a batch of an account with a threshold is decided move by move",
    file: MOVE_HOLDS,
    old: " or b.low_below is not null",
    new: "",
    test,
  },
  {
    guard: "what is restored counts for the period of its reserve",
    file: RESTORE,
    old: "\n      and u.starts_on = date_trunc(u.period, p_hold.created_at at time zone 'UTC')::date",
    new: "",
    test,
  },
  {
    guard: "a new limit counts what its period has used",
    file: SET,
    old: "coalesce(sum(h.tokens), 0)",
    new: "0",
    test,
  },
  {
    guard: "what was restored before a limit was set does not count",
    file: SET,
    old: "h.state in ('held', 'captured') and ",
    new: "",
    test,
  },
  {
    guard: "a percentage is told once in a period",
    file: NOTE,
    old: "\n      and wanted.percent > u.alerted_percent",
    new: "",
    test,
  },
  {
    guard: "a low balance is told once until it is back",
    file: WATCH,
    old: " and b.is_low <> has_fallen",
    new: "",
    test,
  },
  {
    guard: "an alert is claimed by one caller at a time",
    file: ALERTS,
    old: "update billing.alerts a set due_at = ${dueAgainAt}",
    new: "update billing.alerts a set due_at = due_at",
    test,
  },
];
