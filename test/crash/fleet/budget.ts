/** Which requests failed beyond what the faults of a fire excuse, counted from the customers' log. */
import type { FaultKind } from "./chaos-plan.ts";
import type { Happened } from "./chaos.ts";
import { ABANDONED, GENERATION_ERROR, type Attempt } from "./request-log.ts";

/**
 * For how long after its beginning a fault may make requests fail, in milliseconds; for Postgres and for a whole
 * service after its end, because nothing works without them. Others excuse nothing.
 */
const BUDGET_MS: Partial<Record<FaultKind, number>> = {
  "kill-replica": 1_000,
  "pause-replica": 3_000,
  "pause-service": 3_000,
  "cut-link": 1_000,
  "silence-link": 3_000,
  "kill-postgres": 3_000,
};

export type Excess = {
  attempt: Attempt;
  /** The fault that began last before the request ended. */
  after: Happened | undefined;
};

/** The failed requests that no fault excuses. `slack` is what a slow machine's budgets are multiplied with. */
export function findExcess(
  attempts: readonly Attempt[],
  happened: readonly Happened[],
  slack: number,
): Excess[] {
  return attempts.filter(hasFailed).flatMap((attempt) => {
    if (happened.some((fault) => isExcused(attempt, fault, slack))) return [];
    const after = happened
      .filter(({ from }) => from <= attempt.endedAt)
      .toSorted((one, other) => other.from - one.from)[0];
    return [{ attempt, after }];
  });
}

function isExcused({ endedAt }: Attempt, { kind, from, until }: Happened, slack: number): boolean {
  const begin = kind === "kill-postgres" || kind === "pause-service" ? until : from;
  const budgetMs = (BUDGET_MS[kind] ?? 0) * slack;
  return budgetMs > 0 && endedAt >= from && endedAt <= begin + budgetMs;
}

/** Whether the service failed the request: no answer in time, or a 5xx that does not tell the end of an image. */
function hasFailed({ status, reason }: Attempt): boolean {
  if (status === 0) return reason !== ABANDONED;
  return status >= 500 && reason !== GENERATION_ERROR;
}

/** Lines for a person: all failures by kind, and those without an excuse. */
export function summarise(attempts: readonly Attempt[], excess: readonly Excess[]): string[] {
  const failed = attempts.filter(hasFailed);
  const byReason = Map.groupBy(failed, ({ status, reason }) => `${status} ${reason}`);
  return [
    `${attempts.length} requests, ${failed.length} failed, ${excess.length} of them without excuse`,
    ...[...byReason].map(([reason, { length }]) => `  ${length} × ${reason}`),
    ...[...Map.groupBy(excess, nameOf)].map(([name, all]) => {
      const after = all.map(({ attempt, after: fault }) => attempt.endedAt - (fault?.from ?? 0));
      const [first, last] = [Math.min(...after), Math.max(...after)].map((ms) => ms / 1_000);
      return `  without excuse: ${all.length} × ${name} (${first?.toFixed(1)} to ${last?.toFixed(1)} s)`;
    }),
  ];
}

function nameOf({ attempt: { status, reason }, after }: Excess): string {
  return `${status} ${reason} after ${after ? `${after.kind} ${after.target}` : "nothing"}`;
}
