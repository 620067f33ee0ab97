/** Sends a request, retries it where that is safe and useful, and returns its response. */
import { ConnectionError, TimeoutError } from "./errors.ts";
import { retryDelayMs, type Answered, type Timing } from "./retry.ts";

export type Fetch = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

export type Policy = {
  /** Whether the operation is idempotent. */
  isRepeatable: boolean;
  /** Whether the body of a success is left to the caller, who may read it for as long as it takes. */
  isStreamed?: boolean | undefined;
  /** Time limit for one attempt, including its body unless it is streamed. */
  timeoutMs: number;
  maxAttempts: number;
  /** Time from the first failed attempt, after which no other is made. */
  outageMs: number;
  signal?: AbortSignal | undefined;
};

/** One attempt, for logs: it has neither keys nor bodies. */
export type RequestEvent = {
  method: string;
  url: string;
  /** 1 for the first. */
  attempt: number;
  durationMs: number;
  /** Absent where there was no response; then `error` says why. */
  status?: number;
  requestId?: string;
  error?: ConnectionError;
  /** Present where the request is sent again. */
  retryInMs?: number;
};

export type SenderDeps = {
  fetch: Fetch;
  timing: Timing;
  onRequest: ((event: RequestEvent) => void) | undefined;
};

/**
 * Returns the last attempt's response, whatever its status. Throws ConnectionError if the last attempt got no
 * response, and the signal's reason if it aborts.
 */
export async function send(
  { fetch, timing, onRequest }: SenderDeps,
  policy: Policy,
  request: Request,
): Promise<Answered> {
  let outageSinceMs: number | undefined;
  let wasSent = false;
  for (let attempt = 1; ; attempt++) {
    const startedMs = timing.nowMs();
    const outcome = await attemptOnce(fetch, policy, request.clone());
    const isLost = outcome instanceof ConnectionError;
    const answer = isLost ? undefined : outcome;
    wasSent ||= !isLost || outcome.wasSent;
    const requestId = answer?.response.headers.get("request-id");
    const endedMs = timing.nowMs();
    outageSinceMs ??= endedMs;
    const delayMs =
      attempt < policy.maxAttempts && endedMs - outageSinceMs < policy.outageMs
        ? retryDelayMs(answer, attempt, policy.isRepeatable, timing)
        : undefined;
    onRequest?.({
      method: request.method,
      url: request.url,
      attempt,
      durationMs: endedMs - startedMs,
      ...(isLost ? { error: outcome } : { status: outcome.response.status }),
      ...(requestId ? { requestId } : {}),
      ...(delayMs === undefined ? {} : { retryInMs: delayMs }),
    });
    if (delayMs !== undefined) await timing.sleep(delayMs, policy.signal);
    else if (isLost) throw Object.assign(outcome, { wasSent });
    else return outcome;
  }
}

async function attemptOnce(
  fetch: Fetch,
  { timeoutMs, signal, isStreamed }: Policy,
  request: Request,
): Promise<Answered | ConnectionError> {
  signal?.throwIfAborted();
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(), timeoutMs);
  const abortSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  try {
    const response = await fetch(request, { signal: abortSignal });
    if (isStreamed && response.ok) return { response, text: "" };
    // A connection that breaks within the body counts as an attempt without a response.
    const text = await response.text();
    // One whose body can be read again.
    return { response: new Response(text || null, response), text };
  } catch (cause) {
    signal?.throwIfAborted();
    const service = `The service at ${new URL(request.url).origin}`;
    if (timeout.signal.aborted)
      return new TimeoutError(`${service} gave no answer within ${timeoutMs / 1_000} s`, { cause });
    const why = causeText(cause);
    const lost = new ConnectionError(`${service} cannot be reached: ${why}`, { cause });
    lost.wasSent = !["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"].includes(why);
    return lost;
  } finally {
    clearTimeout(timer);
  }
}

/** What went wrong: fetch puts it in the cause of the error that it throws. */
function causeText(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}
