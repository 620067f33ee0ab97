/** A worker that was cut off while it sent a submit: its job is the task's, or is canceled if the task has ended. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { running } from "../../support/scripted-provider.ts";
import { after, createVideo, useHarness } from "../fixture.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

/** The upstream's id of the job that a late submit makes; another one in each test. */
const lateJob = () => `late job of ${h.accountId}`;

/** A worker that is cut off in its submit until `answer`; meanwhile its task ends at its deadline, or does not. */
async function cutOff(taskEnds: boolean) {
  const { generationId, read } = await createVideo(h);
  h.provider.onPoll = () => running(1_000);
  const answered = Promise.withResolvers<Submitted>();
  const sent = Promise.withResolvers<void>();
  h.provider.onSubmit = () => {
    sent.resolve();
    return answered.promise;
  };
  const [row] = await h.claim(1);
  if (!row) throw new Error("nothing was claimed");
  // Its own clock stands still, as that of a process does which is paused.
  const paused = { ...h.deps, clock: manualClock(h.clock.now().toISOString()) };
  const ended = runTask(paused, row, new AbortController().signal);
  await sent.promise;
  await h.sql`
    update generation.tasks set lease_until = null, next_step_at = ${h.clock.now()}
    where id = ${generationId}`;
  await after(h, taskEnds ? 21 * 60_000 : 20_000);
  const answer = async (submitted: Submitted) => {
    answered.resolve(submitted);
    await ended;
    await after(h, 40_000);
    expect(h.provider.submitted).toHaveLength(1);
    return [h.provider.cancelled, (await read())?.status];
  };
  return { answer };
}

describe("a submit whose worker lost its task", () => {
  it("and that is accepted after the task failed is recorded, and its job canceled", async () => {
    const worker = await cutOff(true);
    const outcome = await worker.answer({ kind: "accepted", upstreamId: lateJob() });
    expect(outcome).toEqual([[lateJob()], Status.FAILED]);
  });

  it("and whose answer was lost after the task failed is looked up, recorded, and its job canceled", async () => {
    const worker = await cutOff(true);
    h.provider.onFind = () => ({ kind: "found", upstreamId: lateJob() });
    expect(await worker.answer({ kind: "unknown" })).toEqual([[lateJob()], Status.FAILED]);
  });

  it("is what the task goes on with, if it has not ended", async () => {
    const worker = await cutOff(false);
    const outcome = await worker.answer({ kind: "accepted", upstreamId: lateJob() });
    expect(outcome).toEqual([[], Status.PROCESSING]);
  });
});
