/** ListTasks, GetTask, MakeTaskDue and FailTask: what operators see and do, whatever workers are doing. */
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { addMs } from "#runtime/clock.ts";
import { randomId } from "#runtime/id.ts";
import { FINISHED, running } from "../../support/scripted-provider.ts";
import { failedWith, pendingCall, refusalOf, useHarness } from "../fixture.ts";

const h = useHarness({ tokens: 10_000n });
let accountId: string;
beforeEach(() => {
  h.provider.onPoll = () => running(600_000);
  ({ accountId } = h);
});

async function create(model = "beta-3.0-video") {
  h.clock.advance(10);
  const video = await h.createVideo({ accountId, model });
  const task = async () => (await h.client.getTask({ generationId: video.generationId })).task;
  return { ...video, task };
}

const fail = (generationId: string) => h.withWorkers(() => h.client.failTask({ generationId }));

describe("operators", () => {
  it("see a task's step, upstream, times and upstream jobs", async () => {
    const { task, generationId } = await create();
    expect(await task()).toMatchObject({ step: "queue", upstream: "", status: Status.PENDING });
    await h.sendAndPoll();
    const seen = await task();
    const state = { step: "poll", status: Status.PROCESSING, upstream: "simulator" };
    expect(seen).toMatchObject({ id: generationId, accountId, ...state, tokens: 500n });
    expect(seen?.upstreamId).not.toBe("");
    expect(seen?.startedAt && seen.submittedAt && seen.deadlineAt && seen.nextStepAt).toBeTruthy();
  });

  it("see why a step failed last, until it succeeds", async () => {
    const { task, generationId } = await create();
    await h.sendAndPoll();
    h.provider.onPoll = () => {
      throw new Error(`no\0answer ${"x".repeat(490)}\u{1F600}`);
    };
    await h.client.makeTaskDue({ generationId });
    await h.drain();
    expect(await task()).toMatchObject({ failures: 1, lastError: `no answer ${"x".repeat(490)}` });
    h.provider.onPoll = () => running(600_000);
    await h.client.makeTaskDue({ generationId });
    await h.drain();
    expect(await task()).toMatchObject({ failures: 0, lastError: "" });
  });

  it("list the unfinished tasks of all accounts, newest first, or those that match their filter", async () => {
    const first = await create();
    await fail(first.generationId);
    const mine = [await create(), await create("alpha-2.0")].map((one) => one.generationId);
    const other = accountId;
    accountId = await h.account(1_000n);
    const theirs = (await create()).generationId;
    const ids = async (filter: object) =>
      (await h.client.listTasks({ limit: 3, ...filter })).tasks.map(({ id }) => id);
    expect(await ids({})).toEqual([theirs, ...mine.toReversed()]);
    expect(await ids({ limit: 1 })).toEqual([theirs]);
    expect(await ids({ accountId: other })).toEqual(mine.toReversed());
    expect(await ids({ model: "alpha-2.0", accountId: other })).toEqual([mine[1]]);
    expect(await ids({ status: Status.FAILED, accountId: other })).toEqual([first.generationId]);
    const createdAfter = timestampFromDate(addMs(h.clock.now(), -1));
    expect(await ids({ createdAfter })).toEqual([theirs]);
  });

  it("are refused for a task that does not exist or has ended", async () => {
    const generationId = randomId("vgen");
    for (const call of [h.client.getTask, h.client.makeTaskDue, h.client.failTask]) {
      expect(await refusalOf(call({ generationId }))).toBe(ErrorReason.NOT_FOUND);
    }
    const ended = await create();
    await fail(ended.generationId);
    const task = { generationId: ended.generationId };
    for (const call of [h.client.makeTaskDue, h.client.failTask]) {
      expect(await refusalOf(call(task))).toBe(ErrorReason.ALREADY_FINISHED);
    }
    const stranger = { ...task, accountId: await h.account(0n) };
    expect(await refusalOf(h.client.getTask(stranger))).toBe(ErrorReason.NOT_FOUND);
  });
});

it("a task that is made due is polled now instead of at its time", async () => {
  const { generationId, status } = await create();
  await h.sendAndPoll();
  h.provider.onPoll = () => FINISHED;
  await h.sendAndPoll();
  expect(await status()).toBe(Status.PROCESSING);
  let wakes = 0;
  h.hooks.onWake = () => (wakes += 1);
  await h.client.makeTaskDue({ generationId });
  expect(wakes).toBe(1);
  await h.drain();
  expect(await status()).toBe(Status.SUCCESS);
});

describe("a task that an operator fails", () => {
  it("ends failed with the code internal, restored, and its upstream job is canceled", async () => {
    const { generationId, task } = await create();
    await h.sendAndPoll();
    const upstreamId = (await task())?.upstreamId;
    const { task: ended } = await fail(generationId);
    expect(ended).toMatchObject(failedWith("internal"));
    expect(await h.balance(accountId)).toEqual([10_000n, 0n]);
    expect(h.provider.cancelled).toEqual([upstreamId]);
    expect(h.finished.map(({ generation }) => generation?.status)).toEqual([Status.FAILED]);
  });

  it("has the job stopped that a lookup names, unless it is another task's", async () => {
    const { task } = await create();
    await h.sendAndPoll();
    const upstreamId = (await task())?.upstreamId;
    h.provider.onSubmit = () => ({ kind: "unknown" });
    for (const found of [upstreamId, "its own"]) {
      const { generationId } = await create();
      await h.drain();
      h.provider.onFind = () => found;
      await fail(generationId);
    }
    await h.after(60_000);
    expect(h.provider.cancelled).toEqual(["its own"]);
  });

  it("is not changed by the worker that holds it", async () => {
    const { generationId, status } = await create();
    await h.sendAndPoll();
    const { call: onPoll, made, answer } = pendingCall<typeof FINISHED>();
    h.provider.onPoll = onPoll;
    await h.client.makeTaskDue({ generationId });
    const working = h.work([await h.claimOne()]);
    await made;
    const decided = new Promise<void>((resolve) => (h.hooks.onWake = resolve));
    const failing = h.client.failTask({ generationId });
    await decided;
    answer(FINISHED);
    await working;
    await h.drain();
    await failing;
    expect(await status()).toBe(Status.FAILED);
    expect(await h.balance(accountId)).toEqual([10_000n, 0n]);
  });
});
