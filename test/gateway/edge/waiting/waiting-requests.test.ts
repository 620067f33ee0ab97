/** The look of one process for all generations that its requests wait for. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createWaitingRequests } from "../../../../services/gateway/edge/waiting/waiting-requests.ts";
import { newAccountId } from "../../../support/account.ts";
import { manualClock } from "../../../support/manual-clock.ts";

it.each([
  ["every second while events do not arrive", false, 20],
  ["every ten seconds while events arrive", true, 2],
])("is one for all waiting requests, %s", async (_when, hasEvents, looks) => {
  const clock = manualClock();
  const asked: string[][] = [];
  const waiting = createWaitingRequests({
    clock,
    hasEvents: () => hasEvents,
    generation: {
      async findEnded({ generations = [] }) {
        asked.push(generations.map(({ generationId = "" }) => generationId));
        return {
          $typeName: "media.generation.v1.FindEndedResponse",
          generationIds: ["b"],
          states: [],
        };
      },
    },
  });
  const { signal } = new AbortController();
  await waiting.look.run(signal);
  expect(asked).toEqual([]);
  const accountId = newAccountId();
  const waiters = ["a", "b", "c"].map((generationId) => waiting.begin({ accountId, generationId }));
  const woken: number[] = [];
  for (const [index, waiter] of waiters.entries()) {
    void waiter?.wait(1_000_000, signal).then(() => woken.push(index));
  }
  for (let second = 0; second < 20; second++) {
    await waiting.look.run(signal);
    clock.advance(1_000);
  }
  expect(asked).toEqual(Array.from({ length: looks }, () => ["a", "b", "c"]));
  expect(woken).toEqual([1]);
});

it("leaves out a request that was answered, and no end wakes it any more", async () => {
  const clock = manualClock();
  const asked: string[][] = [];
  const waiting = createWaitingRequests({
    clock,
    hasEvents: () => false,
    generation: {
      async findEnded({ generations = [] }) {
        const generationIds = generations.map(({ generationId = "" }) => generationId);
        asked.push(generationIds);
        return { $typeName: "media.generation.v1.FindEndedResponse", generationIds, states: [] };
      },
    },
  });
  const { signal } = new AbortController();
  const accountId = newAccountId();
  const answered = waiting.begin({ accountId, generationId: "a" });
  using _other = waiting.begin({ accountId, generationId: "b" });
  let isWoken = false;
  void answered?.wait(1_000_000, signal).then(() => (isWoken = true));
  answered?.[Symbol.dispose]();
  await waiting.look.run(signal);
  waiting.complete("a");
  await turn();
  expect([asked, isWoken]).toEqual([[["b"]], false]);
});
