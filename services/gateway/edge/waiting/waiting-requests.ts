/** The requests of this process that wait for a generation to end, and the look for those that no event has woken. */
import type { Client } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import { createCompletionWaiters, type CompletionWaiter } from "#runtime/completion-waiters.ts";
import type { PeriodicJob } from "#runtime/periodic-job.ts";

/** The limit keeps one account from taking all that a process can hold. */
export const MAX_WAITING_PER_ACCOUNT = 100;
/** How often the job looks at all generations that are waited for: often when no event would tell. */
const LOOK_MS = 1_000;
const LOOK_MS_WITH_EVENTS = 10_000;

type Name = { accountId: string; generationId: string };

export type WaitingRequests = {
  /** Undefined when the account has too many already. Begin before the first read: an end after it still wakes. */
  begin: (name: Name) => CompletionWaiter | undefined;
  complete: (generationId: string) => void;
  /** Wakes every request and lets none wait again: the service stops. */
  stop: () => void;
  readonly isStopped: boolean;
  /** One look for all of them. */
  look: PeriodicJob;
};

export type WaitingRequestsDeps = {
  clock: Clock;
  generation: Pick<Client<typeof GenerationService>, "findEnded">;
  /** Whether events arrive now. */
  hasEvents: () => boolean;
};

export function createWaitingRequests(deps: WaitingRequestsDeps): WaitingRequests {
  const { clock, generation, hasEvents } = deps;
  const waiters = createCompletionWaiters(clock);
  const names = new Set<Name>();
  const countOf = new Map<string, number>();
  let lookedAtMs = 0;

  const count = (accountId: string, change: 1 | -1) => {
    const next = (countOf.get(accountId) ?? 0) + change;
    if (next === 0) countOf.delete(accountId);
    else countOf.set(accountId, next);
  };
  return {
    begin(given) {
      const name = { accountId: given.accountId, generationId: given.generationId };
      if ((countOf.get(name.accountId) ?? 0) >= MAX_WAITING_PER_ACCOUNT) return undefined;
      const waiter = waiters.waiterOf(name.generationId);
      names.add(name);
      count(name.accountId, 1);
      return {
        wait: waiter.wait,
        [Symbol.dispose]() {
          waiter[Symbol.dispose]();
          if (names.delete(name)) count(name.accountId, -1);
        },
      };
    },
    complete: waiters.complete,
    stop: waiters.stop,
    get isStopped() {
      return waiters.isStopped;
    },
    look: {
      name: "look for ended generations",
      firstAfterMs: LOOK_MS,
      everyMs: LOOK_MS,
      async run(signal) {
        const nowMs = clock.now().getTime();
        const isDue = nowMs - lookedAtMs >= (hasEvents() ? LOOK_MS_WITH_EVENTS : LOOK_MS);
        if (names.size === 0 || !isDue) return;
        lookedAtMs = nowMs;
        const { generationIds } = await generation.findEnded(
          { generations: [...names] },
          { signal },
        );
        for (const id of generationIds) waiters.complete(id);
      },
    },
  };
}
