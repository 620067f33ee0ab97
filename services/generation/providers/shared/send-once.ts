/** Sends one request, and only if its first byte leaves in time. */
import { Agent, DecoratorHandler, Dispatcher } from "undici";
import { systemClock, type Clock } from "#runtime/clock.ts";

/**
 * An attempt that has not begun to send by then is given up. A process that was paused must not send a request that
 * other processes already treat as lost.
 */
export const SENT_WITHIN_MS = 4_000;

const CONNECT_TIMEOUT_MS = 10_000;
/** An upstream may close an idle connection while a request is being sent, which is then lost: those idle longer are not used. */
const KEPT_IDLE_MS = 1_000;
const connections = new Agent({
  connect: { timeout: CONNECT_TIMEOUT_MS },
  allowH2: false,
  keepAliveTimeout: KEPT_IDLE_MS,
  keepAliveMaxTimeout: KEPT_IDLE_MS,
});

/** Passes one request on. */
export class SendOnce extends Dispatcher {
  /** True once the request is written to its connection. */
  isSent = false;
  readonly #isInTime: () => boolean;

  constructor(clock: Clock) {
    super();
    this.#isInTime = timeLimit(clock, SENT_WITHIN_MS);
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    return connections.dispatch(options, new Started(handler, this.#start));
  }

  readonly #start = (controller: Dispatcher.DispatchController) => {
    if (!this.#isInTime()) throw new Error("too late to send");
    if (!controller.aborted) this.isSent = true;
  };
}

/** Calls `start` in the same turn as the request is written, and before. What it throws ends the request. */
class Started extends DecoratorHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #start: (controller: Dispatcher.DispatchController) => void;

  constructor(
    handler: Dispatcher.DispatchHandler,
    start: (controller: Dispatcher.DispatchController) => void,
  ) {
    super(handler);
    this.#handler = handler;
    this.#start = start;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
    this.#start(controller);
  }
}

/**
 * True until `ms` from now, by whichever clock is ahead. The time of the database and the monotonic clock stop while
 * the machine is suspended; the time of the machine does not, and may be set.
 */
function timeLimit(clock: Clock, ms: number): () => boolean {
  const read = () => [clock.now().getTime(), clock.monotonicMs(), systemClock.now().getTime()];
  const begun = read();
  return () => read().every((now, index) => now - (begun[index] ?? 0) <= ms);
}
