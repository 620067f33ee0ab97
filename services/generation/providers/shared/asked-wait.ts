/** The waits that upstreams ask for in answer to polls. */
import type { Answer } from "./http.ts";
import { UpstreamError } from "./outcome.ts";
import type { Polled } from "../provider.ts";

/** A poll that was not sent, because the upstream asked for a wait in answer to an earlier one of the account. */
export class PollPausedError extends Error {
  readonly retryAfterMs: number;

  constructor(leftMs: number) {
    super(`the upstream asked for a wait of another ${leftMs} ms`);
    this.retryAfterMs = leftMs;
  }
}

/** The wait that a failed poll was answered with; undefined if it asks for none. */
export function retryAfterOf(error: unknown): number | undefined {
  const isAsking = error instanceof UpstreamError || error instanceof PollPausedError;
  return isAsking ? error.retryAfterMs : undefined;
}

/** Adds the wait that the answer asks for to the state of a running job. */
export function withRetryAfter({ retryAfterMs }: Answer, polled: Polled): Polled {
  return polled.kind === "running" && retryAfterMs !== undefined
    ? { ...polled, retryAfterMs }
    : polled;
}
