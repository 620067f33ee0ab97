/** The lifetime of a call within one process: it ends with its result, at its deadline, or when its caller aborts. */
import { Code, ConnectError } from "@connectrpc/connect";
import { onAbort } from "../../abort.ts";

export type InProcessCall<T> = {
  /** Aborts when the call ends, however it does. Made when it is first asked for: most calls need none. */
  signal: () => AbortSignal;
  /** The time left, or undefined without a deadline. */
  leftMs: () => number | undefined;
  /** The result of `work`. If the call ends before, it rejects with the reason, and `work` goes on unheard. */
  run: (work: () => Promise<T>) => Promise<T>;
};

const COMPLETED = "the call has completed";

export function openCall<T>(
  caller: AbortSignal | undefined,
  timeoutMs: number | undefined,
): InProcessCall<T> {
  const endsAtMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  const leftMs = () => (endsAtMs === undefined ? undefined : endsAtMs - performance.now());
  let controller: AbortController | undefined;
  let end: { reason: unknown } | undefined;

  const run = (work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const endWith = (reason: unknown) => {
        clearTimeout(timer);
        listener?.[Symbol.dispose]();
        end = { reason };
        controller?.abort(reason);
      };
      const fail = (error: ConnectError) => {
        if (end) return;
        endWith(error);
        reject(error);
      };
      const succeed = (result: T) => {
        if (end) return;
        endWith(COMPLETED);
        resolve(result);
      };
      const expire = () => fail(new ConnectError("the operation timed out", Code.DeadlineExceeded));
      const abort = () => fail(ConnectError.from(caller?.reason, Code.Canceled));
      let timer: NodeJS.Timeout | undefined;
      let listener: Disposable | undefined;
      if (caller?.aborted) return abort();
      if (timeoutMs !== undefined && timeoutMs <= 0) return expire();
      if (timeoutMs !== undefined) timer = setTimeout(expire, timeoutMs);
      if (caller) listener = onAbort(caller, abort);
      return void work().then(succeed, (error: unknown) => fail(ConnectError.from(error)));
    });

  return {
    leftMs,
    run,
    signal() {
      if (!controller) {
        controller = new AbortController();
        if (end) controller.abort(end.reason);
      }
      return controller.signal;
    },
  };
}
