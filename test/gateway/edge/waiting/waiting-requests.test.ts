/** The look of one process for all generations that its requests wait for. */
import { create } from "@bufbuild/protobuf";
import { expect, it } from "vitest";
import { FindEndedResponseSchema } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { createWaitingRequests } from "../../../../services/gateway/edge/waiting/waiting-requests.ts";
import { newAccountId } from "../../../support/account.ts";
import { manualClock } from "../../../support/manual-clock.ts";

/** The waiting requests of a process, with what was asked of generation, which answers the end of `ended`. */
function waitingOf(ended: string[], hasEvents = false) {
  const clock = manualClock();
  const asked: string[][] = [];
  const findEnded = async ({ generations = [] }: { generations?: { generationId?: string }[] }) => {
    asked.push(generations.map(({ generationId = "" }) => generationId));
    return create(FindEndedResponseSchema, { generationIds: ended });
  };
  const deps = { clock, hasEvents: () => hasEvents, generation: { findEnded } };
  return { clock, asked, waiting: createWaitingRequests(deps) };
}

it.each([
  ["every second while events do not arrive", false, 20],
  ["every ten seconds while events arrive", true, 2],
])("is one for all waiting requests, %s", async (_when, hasEvents, looks) => {
  const { clock, asked, waiting } = waitingOf(["b"], hasEvents);
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
  // An answered request is left out.
  waiters[0]?.[Symbol.dispose]();
  clock.advance(10_000);
  await waiting.look.run(signal);
  expect(asked.at(-1)).toEqual(["b", "c"]);
});
