/** Sends a request, retries it where that is safe and useful, and returns its complete response. */
import { ConnectionError } from "./errors.ts";
import { retryDelayMs, reasonOf } from "./retry.ts";
import type { Timing } from "./retry.ts";

export type Fetch = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

export type Policy = {
  /** Whether the operation is idempotent. */
  isRepeatable: boolean;
  /** Time limit for one attempt, including its body. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

export type SenderDeps = { fetch: Fetch; maxAttempts: number; timing: Timing };

/**
 * Returns the last attempt's response, whatever its status. Throws ConnectionError if the last attempt got no
 * response, and the signal's reason if it aborts.
 */
export async function send(
  { fetch, maxAttempts, timing }: SenderDeps,
  policy: Policy,
  request: Request,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await attemptOnce(fetch, policy, request.clone());
    const answer = outcome instanceof ConnectionError ? undefined : outcome;
    const delayMs =
      attempt < maxAttempts
        ? retryDelayMs(answer, attempt, policy.isRepeatable, timing)
        : undefined;
    if (delayMs !== undefined) await timing.sleep(delayMs, policy.signal);
    else if (outcome instanceof ConnectionError) throw outcome;
    else return toResponse(outcome);
  }
}

type CompleteResponse = { response: Response; text: string };

async function attemptOnce(
  fetch: Fetch,
  { timeoutMs, signal }: Policy,
  request: Request,
): Promise<CompleteResponse | ConnectionError> {
  if (signal?.aborted) throw reasonOf(signal);
  const timeout = AbortSignal.timeout(timeoutMs);
  const abortSignal = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    const response = await fetch(request, { signal: abortSignal });
    // A connection that breaks within the body counts as an attempt without a response.
    return { response, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw reasonOf(signal);
    const { origin } = new URL(request.url);
    const reason = timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : causeText(cause);
    return new ConnectionError(`The service at ${origin} cannot be reached: ${reason}`, { cause });
  }
}

/** What went wrong: fetch puts it in the cause of the error that it throws. */
function causeText(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}

function toResponse({ response, text }: CompleteResponse): Response {
  const { status, statusText, headers } = response;
  return new Response(text === "" ? null : text, { status, statusText, headers });
}
