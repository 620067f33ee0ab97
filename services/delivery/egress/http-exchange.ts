/** HTTP exchanges that a signal ends in whatever state they are. */
import { request, type Dispatcher } from "undici";

export type Exchange = {
  dispatcher: Dispatcher;
  method: Dispatcher.HttpMethod;
  headers: Record<string, string>;
  body?: Uint8Array | string;
  signal: AbortSignal;
};

/**
 * Resolves when the response's headers have arrived. Rejects as soon as `signal` aborts, even while undici is still
 * connecting (undici itself checks the signal only afterwards). Later, `signal` destroys the response's body.
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
    const response = request(url, { ...options, signal, ...(body === undefined ? {} : { body }) });
    return await Promise.race([response, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** A signal that aborts with a TimeoutError after `ms` milliseconds, unless it is disposed of before. */
export function deadline(ms: number): Disposable & { signal: AbortSignal } {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new DOMException(`timed out after ${ms} ms`, "TimeoutError"));
  }, ms);
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
