import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { cancelGenerationIfPending } from "../../../services/generation/store/cancels.ts";
import { findGeneration } from "../../../services/generation/store/generations.ts";
import { decideFailed, decideSuccess } from "../../../services/generation/worker/step.ts";
import { runJob } from "../../../services/generation/worker/run-job.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
let address: { accountId: string; mode: Mode; generationId: string };
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  h.reset();
  h.faults.capture = false;
  address = {
    accountId: await h.account(1_000n),
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
  };
  await h.client.createVideo({ ...address, model: "alpha-2.0", input: { prompt: "a cat" } });
});
afterAll(() => h[Symbol.asyncDispose]());

const read = async () =>
  (await h.client.getGeneration({ ...address, kind: Kind.VIDEO })).generation;
const decision = async () =>
  (await findGeneration(h.sql, address.accountId, address.generationId))?.settling;

/** The refusal of `call`; workers look for due generations when it asks them to. */
async function refusalOf(call: () => Promise<unknown>) {
  const drained: Promise<void>[] = [];
  h.hooks.onRing = () => void drained.push(h.drain());
  try {
    return await call().then(() => undefined, reasonOf);
  } finally {
    await Promise.all(drained);
  }
}

/** The worker decides success and cannot settle it yet, because billing does not answer. */
async function decideSuccessUnsettled() {
  h.faults.capture = true;
  h.clock.advance(1_000);
  for (const row of await h.claim(10)) await runJob(h.deps, row, new AbortController().signal);
  expect(await decision()).toBe("success");
}

/** The decision is carried out: the video is there and charged. */
async function expectSuccess() {
  h.faults.capture = false;
  h.clock.advance(60_000);
  await h.drain();
  expect((await read())?.status).toBe(Status.SUCCESS);
  expect(await h.balance(address.accountId)).toEqual([790n, 0n]);
}

describe("once a generation's end is decided", () => {
  it("its worker cannot decide another", async () => {
    const [row] = await h.claim(1);
    if (!row) throw new Error("nothing was claimed");
    expect(await decideSuccess(h.deps, row, [])).toMatchObject({ settling: "success" });
    const failure = { code: "upstream_failed", message: "The video could not be made." } as const;
    expect(await decideFailed(h.deps, row, failure)).toBeUndefined();
    expect(await decision()).toBe("success");
  });

  it("a cancel that read it while it was pending cannot", async () => {
    const [row] = await h.claim(1);
    if (!row) throw new Error("nothing was claimed");
    await decideSuccess(h.deps, row, []);
    expect(await cancelGenerationIfPending(h.sql, row, h.clock.now())).toBeUndefined();
    expect(await decision()).toBe("success");
  });

  it("a cancel cannot, even if the upstream says that it stopped the job", async () => {
    await h.drain();
    h.provider.onCancel = async () => {
      await decideSuccessUnsettled();
      return true;
    };
    expect(await refusalOf(() => h.client.cancelVideo(address))).toBe(ErrorReason.ALREADY_FINISHED);
    await expectSuccess();
  });

  it("an operator cannot", async () => {
    await h.drain();
    await decideSuccessUnsettled();
    expect(await refusalOf(() => h.client.failTask(address))).toBe(ErrorReason.ALREADY_FINISHED);
    await expectSuccess();
  });
});
