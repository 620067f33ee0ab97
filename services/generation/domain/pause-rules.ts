/** How long an upstream or its account is paused, by its fault, and what each pause is named. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "#runtime/clock.ts";
import { pauseOf } from "./waits.ts";

/** Operators must act. */
export type OperatorFault = "auth" | "billing" | "config";
export type PauseFault = OperatorFault | "unavailable" | "rate_limited";

export function isOperators(fault: PauseFault): fault is OperatorFault {
  return fault !== "unavailable" && fault !== "rate_limited";
}

/** From so many failures in a row on: first `firstMs`, and twice as long with each failed trial, up to `maxMs`. */
export type PauseRule = { fault: PauseFault; fromFailures: number; firstMs: number; maxMs: number };

const UNTIL_OPERATORS_ACT = { fromFailures: 1, firstMs: 5 * MINUTE_MS, maxMs: HOUR_MS };
const RULES: Record<PauseFault, Omit<PauseRule, "fault">> = {
  auth: UNTIL_OPERATORS_ACT,
  billing: UNTIL_OPERATORS_ACT,
  config: UNTIL_OPERATORS_ACT,
  // Single submits fail for reasons of their own.
  unavailable: { fromFailures: 5, firstMs: 5 * SECOND_MS, maxMs: MINUTE_MS },
  rate_limited: { fromFailures: 1, firstMs: SECOND_MS, maxMs: MINUTE_MS },
};

/** `askedMs`: the wait that the upstream asks for, of a rate limit. */
export function pauseRule(fault: PauseFault, askedMs?: number): PauseRule {
  if (fault !== "rate_limited" || askedMs === undefined) return { fault, ...RULES[fault] };
  const ms = pauseOf(askedMs);
  return { fault, fromFailures: 1, firstMs: ms, maxMs: ms };
}

/** The names in the table, as `assign_slots` knows them too. */
export const pauseName = {
  upstream: (name: string) => `upstream ${name}`,
  credential: (credential: string) => `credential ${credential}`,
};
