/** The requests of this process that wait for a generation, and the look for those that no event has woken. */
import type { Client } from "@connectrpc/connect";
import type { GenerationService } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Clock } from "#runtime/clock.ts";
import { createCompletionWaiters, type CompletionWaiter } from "#runtime/completion-waiters.ts";
import type { PeriodicJob } from "#runtime/loops.ts";

/** The limit keeps one account from taking all that a process can hold. */
export const MAX_WAITING_PER_ACCOUNT = 100;
/** How often the job looks at all generations that are waited for: every second while events do not arrive. */
const LOOK_MS = 1_000;
const LOOK_MS_WITH_EVENTS = 10_000;

type Wait = {
  accountId: string;
  generationId: string;
  /** Whether each change of status or progress wakes it, too. No event carries these, so the job looks every second. */
  forChanges?: boolean;
  /** Whether it waits even where the account has many already: its answer is the end. */
  always?: boolean;
};

type Waiting = Wait & { lastState?: string };

export type WaitingRequests = ReturnType<typeof createWaitingRequests>;

export type WaitingRequestsDeps = {
  clock: Clock;
  generation: Pick<Client<typeof GenerationService>, "findEnded">;
  /** Whether events arrive now. */
  hasEvents: () => boolean;
};

export function createWaitingRequests(deps: WaitingRequestsDeps) {
  const { clock, generation, hasEvents } = deps;
  const waiters = createCompletionWaiters(clock);
  const byAccount = new Map<string, Set<Waiting>>();
  let lookedAtMs = 0;

  /** One look for all of them. */
  const look: PeriodicJob = {
    name: "look for ended generations",
    everyMs: LOOK_MS,
    async run(signal) {
      const nowMs = clock.now().getTime();
      const isDue = nowMs - lookedAtMs >= (hasEvents() ? LOOK_MS_WITH_EVENTS : LOOK_MS);
      const all = [...byAccount.values()].flatMap((waiting) => [...waiting]);
      const watching = all.filter(({ forChanges }) => forChanges);
      const asked = isDue ? all : watching;
      if (asked.length === 0) return;
      if (isDue) lookedAtMs = nowMs;
      const { generationIds, states } = await generation.findEnded(
        {
          generations: asked.map(({ accountId, generationId }) => ({ accountId, generationId })),
          withStates: watching.length > 0,
        },
        { signal },
      );
      for (const id of generationIds) waiters.complete(id);
      const stateOf = new Map(
        states.map(({ generationId, status, progress }) => [generationId, `${status} ${progress}`]),
      );
      for (const request of watching) {
        const state = stateOf.get(request.generationId);
        if (state === undefined || state === request.lastState) continue;
        request.lastState = state;
        waiters.complete(request.generationId);
      }
    },
  };
  return {
    /** Undefined when the account has too many already. Begin before the first read: an end after it still wakes. */
    begin(given: Wait): CompletionWaiter | undefined {
      const { accountId, generationId, always } = given;
      const ofAccount = byAccount.get(accountId) ?? new Set();
      if (!always && ofAccount.size >= MAX_WAITING_PER_ACCOUNT) return undefined;
      const waiter = waiters.waiterOf(generationId);
      const request: Waiting = { ...given };
      byAccount.set(accountId, ofAccount.add(request));
      return {
        wait: waiter.wait,
        [Symbol.dispose]() {
          waiter[Symbol.dispose]();
          ofAccount.delete(request);
          if (ofAccount.size === 0 && byAccount.get(accountId) === ofAccount)
            byAccount.delete(accountId);
        },
      };
    },
    /** `stop` wakes every request and lets none wait again. */
    waiters,
    look,
  };
}
