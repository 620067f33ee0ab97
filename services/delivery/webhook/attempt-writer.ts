/** Records finished attempts, many in one statement. */
import { batchByKey } from "#runtime/postgres/batch.ts";
import type { Sql } from "#runtime/postgres/connect.ts";
import {
  recordAttemptsIfLeased,
  type FinishedAttempt,
  type RecordResult,
} from "../store/webhook-attempts.ts";

/** A URL whose attempts have all failed for this long is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * 3_600_000;
const MAX_ATTEMPTS_PER_STATEMENT = 512;

export type WriteAttempt = (finished: FinishedAttempt) => Promise<RecordResult>;

/** The returned function rejects if the attempt could not be written, alone or with others. */
export function attemptWriter(sql: Sql): WriteAttempt {
  const write = batchByKey<FinishedAttempt, RecordResult>({
    run: (_, finished) => recordAttemptsIfLeased(sql, finished, DISABLE_AFTER_MS),
    maxBatch: MAX_ATTEMPTS_PER_STATEMENT,
  });
  return (finished) => write("", finished);
}
