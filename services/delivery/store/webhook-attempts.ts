/** What came of attempts: written with what follows from it, for the delivery and for its URL. */
import type { Db } from "#runtime/postgres/connect.ts";
import type { ClaimedDelivery } from "./webhook-claims.ts";

/** What follows from an attempt: another one at a time, or an end. */
export type Verdict =
  | { status: "pending"; nextAttemptAt: Date }
  | { status: "delivered" | "exhausted" | "disabled" };

export type Attempt = {
  at: Date;
  durationMs: number;
  statusCode?: number | undefined;
  error?: string | undefined;
  responseBody?: string | undefined;
};

export type EndedAttempt = {
  claimed: Pick<ClaimedDelivery, "account_id" | "id" | "url" | "fence">;
  attempt: Attempt;
  verdict: Verdict;
};

/** What became of a record: refused where the lease was lost, or written, and with it the URL perhaps disabled. */
export type Recorded = { isOurs: boolean; disabledUrl: boolean };

/**
 * Writes attempts, what follows from each, and what their URLs have come to, in one statement. A URL fails since its
 * first failure that no success followed; it is disabled where a delivery is exhausted `disableAfterMs` later, or by
 * a verdict. An attempt that the account asked for counts as a success only.
 */
export async function recordAttemptsIfLeased(
  sql: Db,
  ended: readonly EndedAttempt[],
  disableAfterMs: number,
): Promise<Recorded[]> {
  const column = <T>(of: (one: EndedAttempt) => T): T[] => ended.map(of);
  const rows = await sql<{ place: number; disabled_url: boolean }[]>`
    select place, disabled_url from delivery.record_attempts(
      ${column(({ claimed }) => claimed.account_id)}::text[],
      ${column(({ claimed }) => claimed.id)}::text[],
      ${column(({ claimed }) => claimed.url)}::text[],
      ${column(({ claimed }) => claimed.fence.toString())}::bigint[],
      ${column(({ attempt }) => attempt.at.toISOString())}::timestamptz[],
      ${column(({ attempt }) => attempt.durationMs)}::integer[],
      ${column(({ attempt }) => attempt.statusCode ?? null)}::integer[],
      ${column(({ attempt }) => attempt.error ?? null)}::text[],
      ${column(({ attempt }) => attempt.responseBody ?? null)}::text[],
      ${column(({ verdict }) => verdict.status)}::text[],
      ${column(({ verdict }) => (verdict.status === "pending" ? verdict.nextAttemptAt.toISOString() : null))}::timestamptz[],
      ${disableAfterMs}::double precision * interval '1 millisecond')`;
  const found = new Map(rows.map((row) => [row.place, row.disabled_url]));
  return ended.map((_, index) => ({
    isOurs: found.has(index + 1),
    disabledUrl: found.get(index + 1) ?? false,
  }));
}
