/** Cancels a job at its upstream, within 10 seconds. */
import type { Clock } from "#runtime/clock.ts";
import type { Provider } from "../providers/provider.ts";
import { withTimeout } from "../providers/shared/http.ts";

const TIMEOUT_MS = 10_000;

/** True if the job certainly stopped. Throws without an answer in 10 s. Callers cannot abort it: jobs cost money. */
export function cancelJob(
  clock: Clock,
  provider: Pick<Provider, "cancel">,
  upstreamId: string,
): Promise<boolean> {
  return withTimeout(clock, TIMEOUT_MS, undefined, (signal) => provider.cancel(upstreamId, signal));
}
