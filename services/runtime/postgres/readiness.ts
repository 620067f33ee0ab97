/** Whether this process should be sent calls. */
import { within, type Clock } from "../clock.ts";
import type { Sql } from "./connect.ts";
import type { Shutdown } from "../shutdown.ts";

/** Whether this process can serve calls now. Never rejects. */
export type IsReady = () => Promise<boolean>;

/** An answer is used again for this long, whoever asks. */
const TRUST_MS = 1_000;
const TIMEOUT_MS = 1_000;

export type ReadinessDeps = { sql: Sql; clock: Clock; shutdown: Pick<Shutdown, "begun"> };

/**
 * False while the service stops, and while its Postgres does not answer. Peers, event stream and storage are not
 * checked: every replica needs the same ones, so that one outage would take all replicas out, and with them the calls
 * that can do without.
 */
export function createReadiness({ sql, clock, shutdown }: ReadinessDeps): IsReady {
  let last: { atMs: number; answer: Promise<boolean> } | undefined;
  const check = async () => {
    const answered = sql`select 1 as one`.then(
      () => true,
      () => false,
    );
    return (await within(clock, TIMEOUT_MS, answered)) ?? false;
  };
  return async () => {
    if (shutdown.begun.aborted) return false;
    const atMs = clock.monotonicMs();
    if (!last || atMs - last.atMs >= TRUST_MS) last = { atMs, answer: check() };
    return last.answer;
  };
}
