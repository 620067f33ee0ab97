/** A worker has its task as long as its lease; who lost it changes nothing, but what it sent is known. An end is decided once. */
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { GenerationRow } from "../../../services/generation/domain/generation.ts";
import type { Job, Polled, Submitted } from "../../../services/generation/providers/provider.ts";
import { cancelTaskIfPending } from "../../../services/generation/store/ends.ts";
import { claimDueTasks, updateTasksIfLeased } from "../../../services/generation/store/steps.ts";
import { LEASE_MS } from "../../../services/generation/worker/steps/slots.ts";
import { decideFailed, decideSuccess } from "../../../services/generation/worker/steps/step.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { running } from "../../support/scripted-provider.ts";
import { failedWith, isDown, refusalOf, useHarness } from "../fixture.ts";

const RENEW_MS = 3_000;

const h = useHarness();
let video: Awaited<ReturnType<typeof h.createVideo>>;
let generationId: string;
beforeEach(async () => {
  await h.endTasks();
  video = await h.createVideo();
  ({ generationId } = video);
});

const find = () => h.deps.find(h.accountId, generationId);

/** Starts a worker whose call of the upstream is not answered until `answer` is called or `signal` aborts. */
async function calling<T extends Submitted | Polled>(step: "submit" | "poll", deps = h.deps) {
  const before = h.provider[step];
  const answered = Promise.withResolvers<never>();
  const sent = Promise.withResolvers<AbortSignal>();
  h.provider[step] = (job: Job | string, signal: AbortSignal) => {
    if (typeof job === "object") h.provider.submitted.push(job);
    sent.resolve(signal);
    signal.addEventListener("abort", () => answered.reject(new Error("aborted")), { once: true });
    return answered.promise;
  };
  const row = await h.claimOne();
  const stop = new AbortController();
  const ended = runTask(deps, row, stop.signal);
  const signal = await sent.promise;
  Object.assign(h.provider, { [step]: before });
  const answer = async (value: T) => {
    answered.resolve(value as never);
    await ended;
  };
  return { signal, answer, ended, shutdown: () => stop.abort() };
}

const loseLease = async () => {
  await h.sql`
    update generation.tasks set lease_until = ${h.clock.now()} where id = ${generationId}`;
  expect(await h.claim(1)).toMatchObject([{ id: generationId }]);
};

describe("the lease of a worker", () => {
  it("is renewed while a step takes long, so that no other worker claims the generation", async () => {
    const worker = await calling("submit");
    h.clock.advance(RENEW_MS);
    const renewed = new Date(h.clock.now().getTime() + LEASE_MS);
    await expect.poll(async () => (await find())?.leaseUntil).toEqual(renewed);
    h.clock.advance(LEASE_MS - 1);
    expect(await h.claim(1)).toEqual([]);
    await worker.answer({ kind: "accepted", upstreamId: generationId });
  });

  it("aborts the worker's step at its next renewal if another worker has claimed the generation", async () => {
    await h.drain();
    h.clock.advance(500);
    const worker = await calling("poll");
    await loseLease();
    expect(worker.signal.aborted).toBe(false);
    h.clock.advance(RENEW_MS);
    await expect.poll(() => worker.signal.aborted).toBe(true);
    await worker.ended;
  });

  it("does not abort a submit, not even when the process stops: its answer names a job", async () => {
    const worker = await calling("submit");
    await loseLease();
    worker.shutdown();
    expect(worker.signal.aborted).toBe(false);
    await worker.answer({ kind: "accepted", upstreamId: `late ${generationId}` });
    expect(await find()).toMatchObject({ upstreamId: `late ${generationId}` });
  });
});

it("a claim skips a generation that another worker is claiming at that moment", async () => {
  h.clock.advance(24 * 60 * 60_000);
  const claimed = async () =>
    (await claimDueTasks(h.sql, h.clock.now(), LEASE_MS, 100)).map(({ id }) => id);
  await h.sql.begin(async (other) => {
    await other`select from generation.tasks where id = ${generationId} for update`;
    expect(await claimed()).not.toContain(generationId);
  });
  expect(await claimed()).toContain(generationId);
});

it("a job that is accepted after its worker lost the task, which has failed, is recorded and canceled", async () => {
  h.provider.onPoll = () => running(1_000);
  const worker = await calling("submit", h.paused());
  await h.sql`
    update generation.tasks set lease_until = null, next_step_at = ${h.clock.now()}
    where id = ${generationId}`;
  await h.after(21 * 60_000);
  const lateJob = `late job of ${h.accountId}`;
  await worker.answer({ kind: "accepted", upstreamId: lateJob });
  await h.after(40_000);
  expect(h.provider.submitted).toHaveLength(1);
  expect([h.provider.cancelled, await video.status()]).toEqual([[lateJob], Status.FAILED]);
});

it("a job that is accepted while step stop of its failed task is carried out is canceled, too", async () => {
  h.provider.onPoll = () => running(1_000);
  const worker = await calling("submit");
  const lateJob = `late job of ${h.accountId}`;
  const accept = async () => {
    restore();
    await worker.answer({ kind: "accepted", upstreamId: lateJob });
    return { $typeName: "media.delivery.v1.DiscardOutputResponse" } as const;
  };
  const restore = h.replace("delivery", { discardOutput: accept });
  await h.withWorkers(() => h.client.failTask(video.address));
  await h.after(40_000);
  expect(h.provider.cancelled).toEqual([lateJob]);
});

it("of two jobs that are accepted for one submit the first is recorded", async () => {
  const row = await h.claimOne();
  const at = h.clock.now();
  const accept = (upstreamId: string) =>
    h.deps.writes.accept(row, { upstreamId, startedAt: at, deadlineAt: at });
  expect([await accept("first"), await accept("second")]).toEqual([true, false]);
  expect(await find()).toMatchObject({ upstreamId: "first" });
});

describe("once a generation's end is decided", () => {
  const decision = async () => (await find())?.settling;
  const cancel = (row: GenerationRow) => cancelTaskIfPending(h.sql, row, h.clock.now());

  /** A worker decides success and cannot settle it, because billing does not answer. */
  async function decideSuccessUnsettled() {
    h.replace("billing", { capture: isDown });
    h.clock.advance(1_000);
    await h.work(await h.claim(10));
    expect(await decision()).toBe("success");
  }

  /** The decision is carried out: the video is a success and charged. */
  async function expectSuccess() {
    h.deps.billing = h.billing;
    await h.after(60_000);
    expect(await video.status()).toBe(Status.SUCCESS);
    expect(await h.balance(h.accountId)).toEqual([790n, 0n]);
  }

  it("neither its worker nor a cancel that read it while it was pending can decide another", async () => {
    const row = await h.claimOne();
    expect(await decideSuccess(h.deps, row, [])).toMatchObject({ settling: "success" });
    const failure = { code: "upstream_failed", message: "The video could not be made." } as const;
    expect(await decideFailed(h.deps, row, failure)).toBeUndefined();
    expect(await cancel(row)).toBeUndefined();
    expect(await decision()).toBe("success");
  });

  it("a worker that had the row before the cancel cannot write to it", async () => {
    const row = await h.claimOne();
    expect(await cancel(row)).toBeDefined();
    const change = { nextStepAt: new Date(0) };
    expect(await updateTasksIfLeased(h.sql, [{ row, change }])).toEqual([false]);
    expect((await find())?.nextStepAt).toEqual(h.clock.now());
  });

  it("a cancel cannot change it, even if the upstream has stopped the job", async () => {
    await h.drain();
    h.provider.onCancel = async () => {
      await decideSuccessUnsettled();
      return true;
    };
    expect(await refusalOf(video.cancel())).toBe(ErrorReason.ALREADY_FINISHED);
    await expectSuccess();
  });

  it("neither a cancel nor an operator can change it before it is settled", async () => {
    await h.drain();
    await decideSuccessUnsettled();
    expect(await refusalOf(video.cancel())).toBe(ErrorReason.ALREADY_FINISHED);
    const failed = h.withWorkers(() => h.client.failTask(video.address));
    expect(await refusalOf(failed)).toBe(ErrorReason.ALREADY_FINISHED);
    await expectSuccess();
  });

  it("fails where its hold is not there any more, as after a restore, and nothing is charged", async () => {
    await h.drain();
    await decideSuccessUnsettled();
    await h.billing.release({
      hold: { accountId: h.accountId, generationId, mode: Mode.LIVE, attempt: 1 },
    });
    h.deps.billing = h.billing;
    await h.after(60_000);
    expect(await video.read()).toMatchObject({ ...failedWith("internal"), output: [] });
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("its end is not shown by a server that may have lost the capture, which the next worker makes", async () => {
    await h.drain();
    const { rowServer } = h.deps;
    const started = vi.fn<() => Promise<bigint>>(rowServer.started).mockResolvedValueOnce(1n);
    h.deps.rowServer = { ...rowServer, started };
    await h.after(1_000);
    expect([await video.status(), await decision()]).toEqual([Status.PROCESSING, "success"]);
    await expectSuccess();
  });

  it("and shown, no worker claims its task again, though the last reply was lost", async () => {
    await h.drain();
    const { writes } = h.deps;
    h.replace("writes", { end: (row, change) => writes.end(row, change).then(isDown) });
    await h.after(1_000);
    expect(await video.status()).toBe(Status.SUCCESS);
    expect(await find()).toMatchObject({ step: "done", nextStepAt: null, leaseUntil: null });
    h.clock.advance(60_000);
    expect(await h.claim(10)).toEqual([]);
  });
});
