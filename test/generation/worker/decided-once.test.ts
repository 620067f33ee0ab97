/** The end of a generation is decided once: no worker, cancel or operator can change it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Deps } from "../../../services/generation/service.ts";
import { cancelTaskIfPending } from "../../../services/generation/store/ends.ts";
import { updateTasksIfLeased } from "../../../services/generation/store/steps.ts";
import { decideFailed, decideSuccess } from "../../../services/generation/worker/steps/step.ts";
import { after, createVideo, refusalOf, useHarness, withWorkers, work } from "../fixture.ts";

const h = useHarness();
let video: Awaited<ReturnType<typeof createVideo>>;
let address: { accountId: string; mode: Mode; generationId: string };
beforeEach(async () => {
  await h.endTasks();
  video = await createVideo(h);
  const { accountId, mode, generationId } = video;
  address = { accountId, mode, generationId };
});

const decision = async () => (await h.deps.find(address.accountId, address.generationId))?.settling;

/** A worker decides success and cannot settle it, because billing does not answer. */
async function decideSuccessUnsettled() {
  h.faults.capture = true;
  h.clock.advance(1_000);
  await work(h, await h.claim(10));
  expect(await decision()).toBe("success");
}

/** The decision is carried out: the video is a success and charged. */
async function expectSuccess() {
  h.faults.capture = false;
  h.clock.advance(60_000);
  await h.drain();
  expect(await video.status()).toBe(Status.SUCCESS);
  expect(await h.balance(address.accountId)).toEqual([790n, 0n]);
}

describe("once a generation's end is decided", () => {
  it("its worker cannot decide another end", async () => {
    const [row] = await h.claim(1);
    if (!row) throw new Error("nothing was claimed");
    expect(await decideSuccess(h.deps, row, [])).toMatchObject({ settling: "success" });
    const failure = { code: "upstream_failed", message: "The video could not be made." } as const;
    expect(await decideFailed(h.deps, row, failure)).toBeUndefined();
    expect(await decision()).toBe("success");
  });

  it("a cancel that read it while it was pending cannot change it", async () => {
    const [row] = await h.claim(1);
    if (!row) throw new Error("nothing was claimed");
    await decideSuccess(h.deps, row, []);
    expect(await cancelTaskIfPending(h.sql, row, h.clock.now())).toBeUndefined();
    expect(await decision()).toBe("success");
  });

  it("a worker that had the row before the cancel cannot write to it", async () => {
    const [row] = await h.claim(1);
    if (!row) throw new Error("nothing was claimed");
    expect(await cancelTaskIfPending(h.sql, row, h.clock.now())).toBeDefined();
    const change = { nextStepAt: new Date(0) };
    expect(await updateTasksIfLeased(h.sql, [{ row, change }])).toEqual([false]);
    const kept = await h.deps.find(address.accountId, address.generationId);
    expect(kept?.nextStepAt).toEqual(h.clock.now());
  });

  it("a cancel cannot change it, even if the upstream has stopped the job", async () => {
    await h.drain();
    h.provider.onCancel = async () => {
      await decideSuccessUnsettled();
      return true;
    };
    const canceled = withWorkers(h, () =>
      h.client.cancelGeneration({ ...address, kind: Kind.VIDEO }),
    );
    expect(await refusalOf(canceled)).toBe(ErrorReason.ALREADY_FINISHED);
    await expectSuccess();
  });

  it("an operator cannot change it", async () => {
    await h.drain();
    await decideSuccessUnsettled();
    const failed = withWorkers(h, () => h.client.failTask(address));
    expect(await refusalOf(failed)).toBe(ErrorReason.ALREADY_FINISHED);
    await expectSuccess();
  });
});

it("a task whose last reply was lost is done, and no worker claims it again", async () => {
  await h.drain();
  const { writes } = h.deps;
  const end: Deps["writes"]["end"] = async (row, change) => {
    await writes.end(row, change);
    throw new Error("the connection was lost");
  };
  h.deps.writes = { ...writes, end };
  await after(h, 1_000);
  expect(await video.status()).toBe(Status.SUCCESS);
  const row = await h.deps.find(video.accountId, video.generationId);
  expect(row).toMatchObject({ step: "done", nextStepAt: null, leaseUntil: null });
  h.clock.advance(60_000);
  expect(await h.claim(10)).toEqual([]);
});
