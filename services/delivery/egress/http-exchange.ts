/** Opens one HTTP exchange that a deadline ends whatever state it is in. */
import type { Dispatcher } from "undici";
import { request } from "undici";

export type Exchange = {
  dispatcher: Dispatcher;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body?: Uint8Array | string;
  signal: AbortSignal;
};

/**
 * Resolves when the answer's headers stand; rejects as soon as `signal` aborts, also where undici
 * still connects (it looks at the signal no sooner than after that). Afterwards `signal` ends the body.
 */
export async function openExchange(
  url: string | URL,
  { signal, body, ...options }: Exchange,
): Promise<Dispatcher.ResponseData> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const answer = request(url, { ...options, signal, ...(body === undefined ? {} : { body }) });
    return await Promise.race([answer, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A signal that aborts `ms` milliseconds from now with a TimeoutError, unless disposed before. */
export function deadline(ms: number): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`no end within ${ms} ms`, "TimeoutError"));
  }, ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
