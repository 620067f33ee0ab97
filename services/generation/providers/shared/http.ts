/** The HTTP client of all providers: makes JSON calls to one origin, and reports whether a call was sent. */
import { Agent, DecoratorHandler, type Dispatcher, type FormData, request } from "undici";
import { ENDED } from "#runtime/abort.ts";
import { type Clock, systemClock } from "#runtime/clock.ts";
import { retryAfterMs } from "#runtime/retry-after.ts";
import { VERSION } from "#runtime/version.ts";
import { noteExchange } from "./exchanges.ts";
import { parsedJson } from "./json.ts";

export type Call = {
  method: "GET" | "POST" | "PUT" | "DELETE";
  /** A path below the base URL, with a leading slash; or an absolute URL of the same origin that the upstream returned. */
  path: string;
  query?: Readonly<Record<string, string | number | undefined>>;
  headers?: Readonly<Record<string, string>>;
  json?: unknown;
  /** Sent as multipart/form-data; excludes `json`. */
  form?: FormData;
  /** Limits the whole exchange, including the body. */
  timeoutMs?: number;
};

export type Answer = {
  status: number;
  /** The parsed JSON; undefined if the body is empty or not JSON. */
  body: unknown;
  /** How long the upstream asks to wait before the next call; of `waitOf`. */
  retryAfterMs?: number | undefined;
};

/** The outcome of a call that may change something at the upstream. */
type Outcome =
  | { kind: "answered"; answer: Answer }
  /** Certainly not one byte of it was sent. */
  | { kind: "not_sent" }
  /** It was sent, wholly or in part, and no complete answer arrived. */
  | { kind: "lost"; timedOut: boolean };

type ApiSettings = {
  baseUrl: string;
  clock: Clock;
  /** Sent with every call, e.g. the key. */
  headers: Readonly<Record<string, string>>;
};

/** A wait that an upstream asks for; undefined if it is under a second, e.g. 0 or past: our own are longer. */
export const waitOf = (askedMs = 0) => (askedMs >= 1_000 ? askedMs : undefined);

const TIMEOUT_MS = 60_000;
/** For all but submits and images; a worker polls many jobs at a time. */
const queries = new Agent({ maxResponseSize: 16 * 1024 * 1024 });

/** Redirects are returned as answers and not followed, so that the key is not sent to another origin. */
export function createApi(settings: ApiSettings) {
  const origin = new URL(settings.baseUrl).origin;
  const isOwnOrigin = (url: string) => URL.canParse(url) && new URL(url).origin === origin;

  const exchange = (call: Call, signal: AbortSignal, dispatcher: Dispatcher): Promise<Answer> =>
    withTimeout(settings.clock, call.timeoutMs ?? TIMEOUT_MS, signal, async (limit) => {
      const address = addressOf(settings.baseUrl, call, isOwnOrigin);
      const response = await request(address, {
        method: call.method,
        signal: limit,
        dispatcher,
        // NOTE: undici's own timeouts limit idle time only; `limit` ends the whole exchange.
        headersTimeout: 0,
        bodyTimeout: 0,
        headers: {
          accept: "application/json",
          "user-agent": `media-generation/${VERSION}`,
          ...(call.json === undefined ? {} : { "content-type": "application/json" }),
          ...call.headers,
          ...settings.headers,
        },
        body: call.json === undefined ? (call.form ?? null) : JSON.stringify(call.json),
      });
      const text = await response.body.text();
      noteExchange(settings.headers, () => ({
        method: call.method,
        address: address.href,
        sent: call.form ? formOf(call.form) : (call.json ?? null),
        status: response.statusCode,
        answered: text,
      }));
      const [retryAfter] = [response.headers["retry-after"]].flat();
      return {
        status: response.statusCode,
        body: parsedJson(text),
        retryAfterMs: waitOf(retryAfterMs(retryAfter, settings.clock.now())),
      };
    });

  return {
    isOwnOrigin,
    /** Resolves to the upstream's answer, whatever its status; throws if there is none. */
    call: (call: Call, signal: AbortSignal): Promise<Answer> => exchange(call, signal, queries),
    /** Like `call`, but reports what was sent instead of throwing; for submits. */
    attempt: async (call: Call, signal: AbortSignal): Promise<Outcome> => {
      const once = sendOnce(settings.clock);
      try {
        return { kind: "answered", answer: await exchange(call, signal, once.dispatcher) };
      } catch (error) {
        if (!once.isSent) return { kind: "not_sent" };
        return { kind: "lost", timedOut: error instanceof NoAnswerError };
      }
    },
  };
}

function addressOf(baseUrl: string, call: Call, isOwnOrigin: (url: string) => boolean): URL {
  const isWhole = !call.path.startsWith("/");
  if (isWhole && !isOwnOrigin(call.path)) throw new Error("the upstream named a foreign address");
  const url = new URL(isWhole ? call.path : `${baseUrl}${call.path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}

function formOf(form: FormData): object {
  return Object.fromEntries(
    [...form].map(([name, value]) => [name, typeof value === "string" ? value : "[file]"]),
  );
}

/** A process that was paused must not send a request that other processes already treat as lost. */
const SENT_WITHIN_MS = 4_000;

const CONNECT_TIMEOUT_MS = 10_000;
/** An upstream may close an idle connection while a request is being sent, which is then lost. */
const KEPT_IDLE_MS = 1_000;
const connections = new Agent({
  connect: { timeout: CONNECT_TIMEOUT_MS },
  allowH2: false,
  keepAliveTimeout: KEPT_IDLE_MS,
  keepAliveMaxTimeout: KEPT_IDLE_MS,
  // Images may be within the answer to their call: four of them, in base64.
  maxResponseSize: 64 * 1024 * 1024,
});

/** `isSent`: whether the request is written to its connection. */
function sendOnce(clock: Clock) {
  const isInTime = timeLimit(clock, SENT_WITHIN_MS);
  const noting = (handler: Dispatcher.DispatchHandler) =>
    Object.assign(new DecoratorHandler(handler), {
      /** In the same turn as the request is written, and before. What it throws ends the request. */
      onRequestStart: (controller: Dispatcher.DispatchController, context: unknown) => {
        handler.onRequestStart?.(controller, context);
        if (!isInTime()) throw new Error("too late to send");
        if (!controller.aborted) once.isSent = true;
      },
    });
  const dispatcher = connections.compose(
    (dispatch) => (options, handler) => dispatch(options, noting(handler)),
  );
  const once = { isSent: false, dispatcher };
  return once;
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
