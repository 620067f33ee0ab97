/** Calls an upstream with a time limit that holds even if its adapter ignores the signal. */
import { ENDED } from "#runtime/abort.ts";
import type { Clock } from "#runtime/clock.ts";

class NoAnswerError extends Error {
  override name = "NoAnswerError";
}

/** Rejects with a NoAnswerError after `ms`; the signal of `call` aborts at that time, or with `signal` if there is one. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal | undefined,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const late = new AbortController();
  const limit = clock.sleep(ms, over.signal).then(() => {
    if (over.signal.aborted) return undefined as never;
    const error = new NoAnswerError(`no answer within ${ms} ms`);
    late.abort(error);
    throw error;
  });
  try {
    const answered = call(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
    return await Promise.race([answered, limit]);
  } finally {
    over.abort(ENDED);
  }
}
