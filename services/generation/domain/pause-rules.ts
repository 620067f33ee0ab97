/** How long an upstream or its account is paused, by its fault, and what each pause is named. */
import { pauseOf } from "./waits.ts";

/** Operators must act. */
export type OperatorFault = "auth" | "billing" | "config";
export type PauseFault = OperatorFault | "unavailable" | "rate_limited";

export function isOperators(fault: PauseFault): fault is OperatorFault {
  return fault !== "unavailable" && fault !== "rate_limited";
}

/** From so many failures in a row on: first `firstMs`, and twice as long with each failed trial, up to `maxMs`. */
export type PauseRule = {
  fault: PauseFault;
  fromFailures: number;
  firstMs: number;
  maxMs: number;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

/** Single submits fail for reasons of their own. */
const UNAVAILABLE_FROM = 5;

/** `askedMs`: the wait that the upstream asks for, of a rate limit. */
export function pauseRule(fault: PauseFault, askedMs?: number): PauseRule {
  switch (fault) {
    case "rate_limited": {
      const asked = askedMs === undefined ? undefined : pauseOf(askedMs);
      return { fault, fromFailures: 1, firstMs: asked ?? SECOND_MS, maxMs: asked ?? MINUTE_MS };
    }
    case "unavailable": {
      const [firstMs, maxMs] = [5 * SECOND_MS, MINUTE_MS];
      return { fault, fromFailures: UNAVAILABLE_FROM, firstMs, maxMs };
    }
    default:
      return { fault, fromFailures: 1, firstMs: 5 * MINUTE_MS, maxMs: 60 * MINUTE_MS };
  }
}

/** The names in the table, as `assign_slots` knows them too. */
export const pauseName = {
  upstream: (name: string) => `upstream ${name}`,
  credential: (credential: string) => `credential ${credential}`,
};
