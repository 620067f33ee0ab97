/** Honours the wait that an upstream asks for in answer to a poll: it concerns all polls of the account. */
import { addMs, type Clock } from "#runtime/clock.ts";
import { pauseOf } from "../domain/pause.ts";
import type { Provider } from "../providers/provider.ts";
import { PollPausedError, retryAfterOf } from "../providers/shared/asked-wait.ts";

/** `provider`: of one account. Until the wait is over its polls throw a PollPausedError, and nothing is sent. */
export function withPollPauses(provider: Provider, clock: Clock): Provider {
  let pausedUntil = new Date(0);
  return {
    ...provider,
    poll: async (upstreamId, signal) => {
      const leftMs = pausedUntil.getTime() - clock.now().getTime();
      if (leftMs > 0) throw new PollPausedError(leftMs);
      try {
        return await provider.poll(upstreamId, signal);
      } catch (error) {
        const waitMs = retryAfterOf(error);
        if (waitMs !== undefined) pausedUntil = addMs(clock.now(), pauseOf(waitMs));
        throw error;
      }
    },
  };
}
