/** Reacting to abort signals. */

/** The reason of an abort that nobody asks why: without a reason, every abort builds a DOMException. */
export const ENDED = "ended";

/** Calls `action` when `signal` aborts, or at once if it has; not any more once the result is disposed of. */
export function onAbort(signal: AbortSignal, action: () => void): Disposable {
  if (signal.aborted) action();
  else signal.addEventListener("abort", action, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", action) };
}
