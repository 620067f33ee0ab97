/** Writes what only this worker knows for certain: what an upstream has answered. */
import { addMs } from "#runtime/clock.ts";
import type { Deps } from "./deps.ts";
import { backoffMs } from "../../domain/backoff.ts";
import type { GenerationRow } from "../../domain/generation.ts";

/** A failover of Postgres is over by then. */
const WRITE_FOR_MS = 30_000;
/** Keeps pauses at 4 s, so that little time passes between the end of an outage and the write. */
const MAX_DOUBLINGS = 3;

/**
 * Repeats `write` until it succeeds, and throws its error when it has failed for 30 s or after `signal` has aborted: the
 * answer is then forgotten and the submit looked up as an unknown one. A write that failed may have happened, so
 * `write` must be right the second time, too.
 */
export async function writeKnown<T>(
  deps: Deps,
  row: GenerationRow,
  signal: AbortSignal,
  write: () => Promise<T>,
): Promise<T> {
  const giveUpAt = addMs(deps.clock.now(), WRITE_FOR_MS);
  for (let failures = 0; ; failures++) {
    try {
      return await write();
    } catch (error) {
      if (signal.aborted || deps.clock.now() >= giveUpAt) throw error;
      const { id, accountId } = row;
      const fields = { err: error, generation_id: id, account_id: accountId };
      deps.log.warn(fields, "write failed, retrying");
      await deps.clock.sleep(backoffMs(Math.min(failures, MAX_DOUBLINGS), deps.random()), signal);
    }
  }
}
