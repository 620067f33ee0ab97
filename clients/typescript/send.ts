/** Sends one request, again where that is safe and of use, and gives back its whole answer. */
import { ConnectionError } from "./errors.ts";
import { pauseMs, reasonOf } from "./retry.ts";
import type { Timing } from "./retry.ts";

export type Fetch = (request: Request, init?: { signal: AbortSignal }) => Promise<Response>;

export type Policy = {
  /** Whether doing it twice is as doing it once. */
  isRepeatable: boolean;
  /** For each attempt, until its answer is complete. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

export type SenderDeps = { fetch: Fetch; maxAttempts: number; timing: Timing };

/**
 * Throws ConnectionError where no attempt was answered, and the signal's reason where that aborts. Answers of any
 * status are returned: of the attempts, the last one's.
 */
export async function send(
  { fetch, maxAttempts, timing }: SenderDeps,
  policy: Policy,
  request: Request,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(fetch, policy, request.clone());
    const answer = outcome instanceof ConnectionError ? undefined : outcome;
    const waitMs =
      attempt < maxAttempts ? pauseMs(answer, attempt, policy.isRepeatable, timing) : undefined;
    if (waitMs !== undefined) await timing.sleep(waitMs, policy.signal);
    else if (outcome instanceof ConnectionError) throw outcome;
    else return rebuilt(outcome);
  }
}

type Whole = { response: Response; text: string };

async function tryOnce(
  fetch: Fetch,
  { timeoutMs, signal }: Policy,
  request: Request,
): Promise<Whole | ConnectionError> {
  if (signal?.aborted) throw reasonOf(signal);
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  try {
    const response = await fetch(request, { signal: either });
    // A connection may break in the middle of a body: that is an attempt without an answer, too.
    return { response, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw reasonOf(signal);
    const { origin } = new URL(request.url);
    const why = timeout.aborted ? `no answer within ${timeoutMs / 1_000} s` : causeText(cause);
    return new ConnectionError(`The service at ${origin} cannot be reached: ${why}`, { cause });
  }
}

/** fetch hides what happened in the cause of what it throws. */
function causeText(error: unknown): string {
  const { message, cause } = error as { message?: string; cause?: { code?: string } };
  return cause?.code ?? message ?? String(error);
}

function rebuilt({ response, text }: Whole): Response {
  const { status, statusText, headers } = response;
  return new Response(text === "" ? null : text, { status, statusText, headers });
}
