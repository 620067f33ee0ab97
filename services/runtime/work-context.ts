/** What belongs together: the id of the request that work is done for, and its trace; kept with tasks and webhooks. */
import { AsyncLocalStorage } from "node:async_hooks";

export type WorkContext = {
  /** The Request-Id of the REST request that began the work. */
  requestId?: string | undefined;
  /** The span that this work belongs to, as W3C Trace Context writes it; absent where nothing is traced. */
  traceparent?: string | undefined;
};

const storage = new AsyncLocalStorage<WorkContext>();
const NONE: WorkContext = {};

/** The context of the code that runs now. */
export function workContext(): WorkContext {
  return storage.getStore() ?? NONE;
}

export function inContext<T>(context: WorkContext, work: () => T): T {
  return storage.run(context, work);
}

export type KeptContext = { requestId: string | null; traceparent: string | null };

/** The context of the code that runs now, for a row. */
export function keptContext(): KeptContext {
  const { requestId = null, traceparent = null } = workContext();
  return { requestId, traceparent };
}

export function contextOf(row: KeptContext): WorkContext {
  return { requestId: row.requestId ?? undefined, traceparent: row.traceparent ?? undefined };
}

/** Stands for every trace that is not recorded. Whoever is called with it begins none. */
export const UNRECORDED = "00-00000000000000000000000000000001-0000000000000001-00";

/** Whether the spans of this trace are sent: the lowest of W3C Trace Context's flags, whose hexadecimal digits come last. */
export function isRecorded(traceparent: string): boolean {
  return (Number.parseInt(traceparent.slice(-1), 16) & 1) === 1;
}

/** The trace that a traceparent names; undefined where none is recorded. */
export function recordedTraceId(traceparent: string | undefined): string | undefined {
  if (traceparent === undefined || !isRecorded(traceparent)) return undefined;
  return traceparent.split("-", 2)[1];
}
