/** The open event streams of each user in this process, which check the user's access again when it may have ended. */
import type { Clock } from "#runtime/clock.ts";
import { createWakeSignal, type WakeSignal } from "#runtime/wake-signal.ts";

const MAX_STREAMS = 8;

export type OpenStream = Disposable & Pick<WakeSignal, "wait" | "wake">;

export type OpenStreams = {
  /** A stream of the user, whose `wait` ends early when `recheck` or its `wake` is called; undefined when the user has too many. */
  open: (userId: string) => OpenStream | undefined;
  /** The user's sessions or memberships have changed: their streams check at once whether they may go on. */
  recheck: (userId: string) => void;
};

export function openStreams(clock: Clock): OpenStreams {
  const open = new Map<string, Set<WakeSignal>>();
  return {
    open(userId) {
      const streams = open.get(userId) ?? new Set();
      if (streams.size >= MAX_STREAMS) return undefined;
      const signal = createWakeSignal(clock);
      open.set(userId, streams.add(signal));
      return {
        wait: signal.wait,
        wake: signal.wake,
        [Symbol.dispose]() {
          streams.delete(signal);
          if (streams.size === 0) open.delete(userId);
        },
      };
    },
    recheck(userId) {
      for (const signal of open.get(userId) ?? []) signal.wake();
    },
  };
}
