/** Whether this process should be sent calls. */
import { within, type Clock } from "../clock.ts";
import type { Sql } from "./connect.ts";
import type { Shutdown } from "../shutdown.ts";

/** Whether this process can serve calls now. Never rejects. */
export type IsReady = () => Promise<boolean>;

export type Readiness = {
  isReady: IsReady;
  /** False when Postgres has not answered twice in a row. Answers at once, of the looks that have ended. */
  hasPostgres: () => boolean;
};

/** An answer is used again for this long, whoever asks. */
const TRUST_MS = 1_000;
const TIMEOUT_MS = 1_000;
/** One look may be late because this process was busy. */
const MAX_FAILED = 1;
/** Older looks say nothing. */
const STALE_MS = 15_000;

export type ReadinessDeps = { sql: Sql; clock: Clock; shutdown: Pick<Shutdown, "begun"> };

/**
 * False while the service stops, and while its Postgres does not answer. Peers, event stream and storage are not
 * checked: every replica needs the same ones, so that one outage would take all replicas out, and with them the calls
 * that can do without.
 */
export function createReadiness({ sql, clock, shutdown }: ReadinessDeps): Readiness {
  let last: { atMs: number; answer: Promise<boolean> } | undefined;
  let failed = 0;
  const check = async () => {
    const answered = sql`select 1 as one`.then(
      () => true,
      () => false,
    );
    const isUp = (await within(clock, TIMEOUT_MS, answered)) ?? false;
    failed = isUp ? 0 : failed + 1;
    return isUp;
  };
  const look = () => {
    const atMs = clock.monotonicMs();
    const ageMs = last ? atMs - last.atMs : Infinity;
    if (ageMs >= STALE_MS) failed = 0;
    if (!last || ageMs >= TRUST_MS) last = { atMs, answer: check() };
    return last.answer;
  };
  return {
    isReady: async () => !shutdown.begun.aborted && look(),
    hasPostgres() {
      void look();
      return failed <= MAX_FAILED;
    },
  };
}
