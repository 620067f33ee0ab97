/** The guards of limits of Tokens and of alerts, and the tests that need them. */
import { guards, type Mutation } from "./mutation.ts";

const COUNT = "services/billing/functions/count_in_limits.sql";
const RESTORE = "services/billing/functions/restore_in_limits.sql";
const SET = "services/billing/functions/set_token_limits.sql";
const NOTE = "services/billing/functions/note_limit.sql";
const WATCH = "services/billing/functions/watch_balance.sql";
const ALERTS = "services/billing/store/alerts.ts";

const test = "test/billing/limits-and-alerts.test.ts";
const endUsers = "test/billing/end-user-limits.test.ts";

export const billingLimits: readonly Mutation[] = [
  ...guards(COUNT, test, {
    "a create beyond a limit is refused": ["  is_refused := found;", "  is_refused := false;"],
    "the limits of a key hold for that key alone": "l.counted_for = any (whose) and",
    "a refused create counts for no limit": [
      "case when is_refused then 0 else p_tokens end",
      "p_tokens",
    ],
  }),
  ...guards(COUNT, endUsers, {
    "of limits of end users nobody is told": ["counted.named_for <> 'user_' then", "true then"],
    "counts of past periods are deleted": ["      limit 8", "      limit 0"],
  }),
  ...guards(RESTORE, endUsers, {
    "what is restored counts for its end user": ", p_hold.end_user",
  }),
  ...guards(SET, endUsers, {
    "a new limit counts what each end user has used": ["h.end_user else p_for", "null else p_for"],
  }),
  ...guards(RESTORE, test, {
    "what is restored counts for the period of its reserve":
      "and u.starts_on = date_trunc(reserved.period, p_hold.created_at at time zone 'UTC')::date",
  }),
  ...guards(SET, test, {
    "a new limit counts what its period has used": ["sum(coalesce(h.captured, h.tokens))", "0"],
    "what was restored before a limit was set does not count":
      "h.state in ('held', 'captured') and",
  }),
  ...guards(NOTE, test, {
    "a percentage is told once in a period": "and wanted.percent > u.alerted_percent",
  }),
  ...guards(WATCH, test, {
    "a low balance is told once until it is back": "and b.is_low <> has_fallen",
  }),
  ...guards(ALERTS, test, {
    "an alert is claimed by one caller at a time": ["due_at = ${dueAgainAt}", "due_at = due_at"],
  }),
];
