/** Cancels a job at its upstream, within 10 seconds. */
import type { Clock } from "#runtime/clock.ts";
import type { Provider } from "../providers/provider.ts";
import { withTimeout } from "../providers/shared/http.ts";

const TIMEOUT_MS = 10_000;

/**
 * Resolves to true if the upstream has certainly stopped the job. Throws if the upstream cannot be reached or does not
 * answer within 10 s. No caller can abort it sooner, because an unneeded job costs money until it stops.
 */
export function cancelJob(
  clock: Clock,
  provider: Pick<Provider, "cancel">,
  upstreamId: string,
): Promise<boolean> {
  return withTimeout(clock, TIMEOUT_MS, undefined, (signal) => provider.cancel(upstreamId, signal));
}
