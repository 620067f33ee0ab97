/** A worker that sends its submit after others took its row and found the submit absent: one job is kept. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { runTask } from "../../../services/generation/worker/run-task.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { running } from "../../support/scripted-provider.ts";
import { after, createVideo, useHarness } from "../fixture.ts";

/** After it a submit that the upstream does not know certainly did not arrive. */
const ABSENT_AFTER_MS = 20_000;

const h = useHarness();
beforeEach(() => h.endTasks());

/** The upstream's id of the job that a late submit makes; another one in each test. */
const lateJob = () => `late job of ${h.accountId}`;

/** A worker that is cut off in its submit until `answer`; meanwhile others submit the task again. */
async function overtaken(mayFind: () => boolean = () => false) {
  const task = await createVideo(h);
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
  const lateToken = h.provider.submitted[0]?.token ?? "";
  h.provider.onSubmit = ({ token }) => ({ kind: "accepted", upstreamId: `kept-${token}` });
  h.provider.onFind = (token) =>
    token === lateToken && mayFind()
      ? { kind: "found", upstreamId: lateJob() }
      : { kind: "absent" };
  const loseRow = () => h.sql`
    update generation.generations set lease_until = null, next_step_at = ${h.clock.now()}
    where id = ${task.generationId}`;
  const overtake = async () => {
    await loseRow();
    await after(h, ABSENT_AFTER_MS);
    await h.drain();
    expect(h.provider.submitted).toHaveLength(2);
  };
  return { ...task, loseRow, overtake, ended, answer: answered.resolve };
}

/** What the upstream was told to stop, how many jobs are recorded, and where the task stands. */
async function outcome(read: () => Promise<{ status: Status } | undefined>) {
  const submits = await h.sql`select from generation.submits where account_id = ${h.accountId}`;
  const status = (await read())?.status;
  return { canceled: h.provider.cancelled, recorded: submits.count, status };
}

const oneIsKept = () => ({ canceled: [lateJob()], recorded: 2, status: Status.PROCESSING });

describe("a submit that is accepted after the task was submitted again", () => {
  it("is recorded, and its job canceled", async () => {
    const worker = await overtaken();
    await worker.overtake();
    worker.answer({ kind: "accepted", upstreamId: lateJob() });
    await worker.ended;
    expect(await outcome(worker.read)).toEqual(oneIsKept());
  });

  it("and whose answer was lost, is looked up, recorded, and its job canceled", async () => {
    let isThere = false;
    const worker = await overtaken(() => isThere);
    await worker.overtake();
    isThere = true;
    worker.answer({ kind: "unknown" });
    await worker.ended;
    expect(await outcome(worker.read)).toEqual(oneIsKept());
  });

  it("is canceled by the worker that found it absent, if it was recorded in that moment", async () => {
    const worker = await overtaken();
    const { find } = h.provider;
    h.provider.find = async (lost, signal) => {
      const found = await find(lost, signal);
      worker.answer({ kind: "accepted", upstreamId: lateJob() });
      await worker.ended;
      return found;
    };
    await worker.overtake();
    h.provider.find = find;
    expect(await outcome(worker.read)).toEqual(oneIsKept());
  });

  it("is what the task goes on with, if nobody has found it absent", async () => {
    const worker = await overtaken();
    await worker.loseRow();
    await h.drain();
    worker.answer({ kind: "accepted", upstreamId: lateJob() });
    await worker.ended;
    await after(h, ABSENT_AFTER_MS);
    expect(h.provider.submitted).toHaveLength(1);
    expect(await outcome(worker.read)).toEqual({
      canceled: [],
      recorded: 1,
      status: Status.PROCESSING,
    });
  });
});
