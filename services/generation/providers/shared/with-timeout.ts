/** Asks an upstream with a time limit that holds even where its adapter overlooks the signal. */
import type { Clock } from "#runtime/clock.ts";

/** A reason given is an error not made: most questions are answered. */
const OVER = "over";

class NoAnswerError extends Error {
  override name = "NoAnswerError";
}

/** Rejects with a NoAnswerError after `ms`; `call` gets a signal that aborts then, or when `signal` does. */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
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
    const answered = call(AbortSignal.any([signal, late.signal]));
    return await Promise.race([answered, limit]);
  } finally {
    over.abort(OVER);
  }
}
