/** The lifetime of a unary call on one side: it ends with its result, at its deadline, or when the other side gives it up. */
import { Code, ConnectError } from "@connectrpc/connect";
import { onAbort } from "../../abort.ts";

export type Lifetime<T> = {
  /** Aborts when the call ends, however it does. Made when it is first asked for: most calls need none. */
  signal: () => AbortSignal;
  /** The time left, or undefined without a deadline. */
  leftMs: () => number | undefined;
  /** The result of `work`. If the call ends before, it rejects with the reason, and `work` goes on unheard. */
  run: (work: () => Promise<T>) => Promise<T>;
  /** Ends the call, if it has not: nobody waits for its result. */
  abandon: () => void;
  /** Calls `action` when the call ends. */
  onEnd: (action: () => void) => void;
};

const COMPLETED = "the call has completed";

export function openLifetime<T>(
  caller: AbortSignal | undefined,
  timeoutMs: number | undefined,
): Lifetime<T> {
  const endsAtMs = timeoutMs === undefined ? undefined : performance.now() + timeoutMs;
  const leftMs = () => (endsAtMs === undefined ? undefined : endsAtMs - performance.now());
  let controller: AbortController | undefined;
  let end: { reason: unknown } | undefined;
  let fail: ((error: ConnectError) => void) | undefined;
  const actions: (() => void)[] = [];

  const run = (work: () => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      const endWith = (reason: unknown) => {
        clearTimeout(timer);
        listener?.[Symbol.dispose]();
        end = { reason };
        controller?.abort(reason);
        for (const action of actions) action();
      };
      fail = (error) => {
        if (end) return;
        endWith(error);
        reject(error);
      };
      const succeed = (result: T) => {
        if (end) return;
        endWith(COMPLETED);
        resolve(result);
      };
      const expire = () =>
        fail?.(new ConnectError("the operation timed out", Code.DeadlineExceeded));
      const abort = () => fail?.(ConnectError.from(caller?.reason, Code.Canceled));
      let timer: NodeJS.Timeout | undefined;
      let listener: Disposable | undefined;
      if (caller?.aborted) return abort();
      if (timeoutMs !== undefined && timeoutMs <= 0) return expire();
      if (timeoutMs !== undefined) timer = setTimeout(expire, timeoutMs);
      if (caller) listener = onAbort(caller, abort);
      return void work().then(succeed, (error: unknown) => fail?.(ConnectError.from(error)));
    });

  return {
    leftMs,
    run,
    abandon: () => {
      if (!end) fail?.(new ConnectError("the caller has gone", Code.Canceled));
    },
    onEnd: (action) => void (end ? action() : actions.push(action)),
    signal() {
      if (!controller) {
        controller = new AbortController();
        if (end) controller.abort(end.reason);
      }
      return controller.signal;
    },
  };
}
