/** Reacting to abort signals. */

/** Calls `action` when `signal` aborts, or at once if it has; not any more once the result is disposed of. */
export function onAbort(signal: AbortSignal, action: () => void): Disposable {
  if (signal.aborted) action();
  else signal.addEventListener("abort", action, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", action) };
}
