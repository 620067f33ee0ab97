/** Records finished attempts with their outcomes for the delivery and its URL. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "../domain/delivery.ts";
import type { Attempt, Outcome } from "../domain/outcome.ts";

export type FinishedAttempt = {
  claimed: Pick<ClaimedDelivery, "accountId" | "id" | "url" | "fence">;
  attempt: Attempt;
  outcome: Outcome;
};

export type RecordResult = {
  /** False if the lease was lost: then nothing was written. */
  leaseHeld: boolean;
  /** Whether this attempt disabled the URL. */
  urlDisabled: boolean;
};

/**
 * Writes attempts, the outcome of each, and the state of their URLs, in one statement; one result per attempt, in
 * order. A URL counts as failing from its first failure without a later success. It is disabled by an outcome, or when
 * a delivery is exhausted `disableAfterMs` or more after that first failure. A redelivery after the end that fails does not
 * count.
 */
export async function recordAttemptsIfLeased(
  sql: Db,
  finished: readonly FinishedAttempt[],
  disableAfterMs: number,
): Promise<RecordResult[]> {
  const column = <T>(of: (one: FinishedAttempt) => T): T[] => finished.map(of);
  const rows = await sql<{ ordinal: number; disabledUrl: boolean }[]>`
    select ordinal, disabled_url from delivery.record_attempts(
      ${column(({ claimed }) => claimed.accountId)}::text[],
      ${column(({ claimed }) => claimed.id)}::text[],
      ${column(({ claimed }) => claimed.url)}::text[],
      ${column(({ claimed }) => claimed.fence.toString())}::bigint[],
      ${column(({ attempt }) => attempt.at.toISOString())}::timestamptz[],
      ${column(({ attempt }) => attempt.durationMs)}::integer[],
      ${column(({ attempt }) => attempt.statusCode ?? null)}::integer[],
      ${column(({ attempt }) => attempt.error ?? null)}::text[],
      ${column(({ attempt }) => attempt.responseBody ?? null)}::text[],
      ${column(({ outcome }) => outcome.status)}::text[],
      ${column(({ outcome }) => (outcome.status === "pending" ? outcome.nextAttemptAt.toISOString() : null))}::timestamptz[],
      ${disableAfterMs}::double precision * interval '1 millisecond')`;
  const found = new Map(rows.map((row) => [row.ordinal, row.disabledUrl]));
  return finished.map((_, index) => ({
    leaseHeld: found.has(index + 1),
    urlDisabled: found.get(index + 1) ?? false,
  }));
}
