/** Replicas whose machines disagree about the time by most of an hour share their tasks as others do. */
import { expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { systemClock } from "#runtime/clock.ts";
import { openDatabaseClock } from "#runtime/postgres/database-clock.ts";
import { createClaimWork, runTask } from "../../../services/generation/worker/worker.ts";
import { realClock } from "../../support/generation-harness.ts";
import { running } from "../../support/scripted-provider.ts";
import { useHarness } from "../fixture.ts";

const MINUTE_MS = 60_000;
const COST = 210n;

const h = useHarness({ clock: realClock });

/** A worker on a machine whose clock is that much ahead. */
async function replica(stack: AsyncDisposableStack, aheadMinutes: number) {
  const ahead = { ...systemClock, now: () => new Date(Date.now() + aheadMinutes * MINUTE_MS) };
  const clock = stack.use(await openDatabaseClock(h.sql, { clock: ahead, log: h.deps.log }));
  const deps = { ...h.deps, clock };
  const claim = createClaimWork(deps);
  return {
    claim,
    /** Claims one task as soon as it is due, and works on it. */
    workOnOne: async () => {
      let row: Awaited<ReturnType<typeof claim>>[number] | undefined;
      await expect.poll(async () => ([row] = await claim(1))).not.toEqual([]);
      if (row) await runTask(deps, row, new AbortController().signal);
    },
  };
}

it("a replica whose clock is 25 minutes fast, and one whose clock is 25 minutes slow take no task from each other, fail none early, and charge it once", async () => {
  await using stack = new AsyncDisposableStack();
  const [fast, slow] = [await replica(stack, 25), await replica(stack, -25)];
  const video = await h.createVideo();
  const held = await slow.claim(10);
  expect(held).toHaveLength(1);
  expect(await fast.claim(10)).toEqual([]);
  await h.sql`
    update generation.tasks set lease_until = now() where id = ${video.generationId}`;

  // It may have sent the task.
  h.provider.onFind = (token) => ({ kind: "found", upstreamId: `job-${token}` });
  h.provider.onPoll = () => running(0);
  await fast.workOnOne();
  await fast.workOnOne();
  expect(await video.status()).toBe(Status.PROCESSING);
  await slow.workOnOne();
  expect(await video.status()).toBe(Status.PROCESSING);
  expect(h.provider.submitted).toHaveLength(0);
  h.reset();
  await slow.workOnOne();
  expect(await video.status()).toBe(Status.SUCCESS);
  expect(await h.balance(h.accountId)).toEqual([1_000n - COST, 0n]);
});
