import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Kind, Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { reasonOf } from "#runtime/rpc/errors.ts";
import { randomId } from "#runtime/id.ts";
import { runJob } from "../../../services/generation/worker/run-job.ts";
import { generationHarness } from "../../support/generation-harness.ts";
import type { Harness } from "../../support/generation-harness.ts";

let h: Harness;
let accountId: string;
beforeAll(async () => {
  h = await generationHarness();
});
beforeEach(async () => {
  h.reset();
  accountId = await h.account(1_000n);
});
afterAll(() => h[Symbol.asyncDispose]());

async function create() {
  const { generation } = await h.client.createVideo({
    accountId,
    mode: Mode.LIVE,
    generationId: randomId("vgen"),
    model: "alpha-2.0",
    input: { prompt: "a cat" },
  });
  const address = { accountId, mode: Mode.LIVE, generationId: generation?.id ?? "" };
  return {
    address,
    read: async () => {
      const found = await h.client.getGeneration({ ...address, kind: Kind.VIDEO });
      return found.generation;
    },
    /** Cancels, with workers that come when they are rung. */
    cancel: async () => {
      const drained: Promise<void>[] = [];
      h.hooks.onRing = () => void drained.push(h.drain());
      try {
        return await h.client.cancelVideo(address);
      } finally {
        await Promise.all(drained);
      }
    },
  };
}

const refusalOf = (call: Promise<unknown>) => call.then(() => undefined, reasonOf);

describe("a cancel", () => {
  it("of a pending video always succeeds and restores its Tokens, and can be repeated", async () => {
    const { cancel } = await create();
    for (let i = 0; i < 2; i++) {
      const { generation } = await cancel();
      expect(generation).toMatchObject({ status: Status.CANCELED, credits: 0n });
    }
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
    expect(h.provider.submitted).toHaveLength(0);
    expect(h.finished.map(({ generation }) => generation?.status)).toEqual([Status.CANCELED]);
  });

  it("while the submit is in flight succeeds, and the upstream job is stopped when it becomes known", async () => {
    const { cancel, read } = await create();
    let answer: () => void = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    h.provider.onSubmit = async (job) => {
      await answered;
      return { kind: "accepted", upstreamId: `late-${job.token}` };
    };
    const [row] = await h.claim(1);
    const worker = row && runJob(h.deps, row, new AbortController().signal);
    await expect.poll(() => h.provider.submitted.length).toBe(1);
    h.provider.onFind = () => ({ kind: "unknown" });
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    answer();
    await worker;
    expect(h.provider.cancelled).toHaveLength(1);
    expect((await read())?.status).toBe(Status.CANCELED);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });

  it("after a submit of unknown outcome stops the job that the upstream turns out to have", async () => {
    const { cancel, address } = await create();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    h.provider.onFind = () => ({ kind: "unknown" });
    await h.drain();
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    h.provider.onFind = (token) => ({ kind: "found", upstreamId: `made-${token}` });
    h.clock.advance(60_000);
    await h.drain();
    const made = h.provider.cancelled.filter((id) => id.includes(address.generationId));
    expect(made).toHaveLength(1);
  });

  it("of a processing video that the upstream stops for certain cancels and restores", async () => {
    const { cancel } = await create();
    await h.drain();
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });

  it("that the upstream does not carry out is refused, and the video goes on to its end", async () => {
    const { cancel, read } = await create();
    await h.drain();
    h.provider.onCancel = () => false;
    expect(await refusalOf(cancel())).toBe(ErrorReason.NOT_CANCELABLE);
    h.clock.advance(1_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(await refusalOf(cancel())).toBe(ErrorReason.ALREADY_FINISHED);
    expect(await h.balance(accountId)).toEqual([790n, 0n]);
  });

  it("that the upstream carries out later than it said makes the video canceled, not failed", async () => {
    const { cancel, read } = await create();
    await h.drain();
    h.provider.onCancel = () => {
      throw new Error("no answer");
    };
    expect(await refusalOf(cancel())).toBe(ErrorReason.NOT_CANCELABLE);
    h.provider.onPoll = () => ({ kind: "stopped" });
    h.clock.advance(1_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.CANCELED);
  });

  it("that the upstream never answers is refused after ten seconds, and the video goes on", async () => {
    const { cancel, read } = await create();
    await h.drain();
    h.provider.onCancel = () => new Promise(() => {});
    const refused = refusalOf(cancel());
    await expect.poll(() => h.provider.cancelled.length).toBe(1);
    h.clock.advance(9_999);
    expect(await Promise.race([refused, Promise.resolve("waiting")])).toBe("waiting");
    h.clock.advance(1);
    expect(await refused).toBe(ErrorReason.NOT_CANCELABLE);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("of a job that the upstream has done already is refused, and its end stands", async () => {
    const { cancel, read } = await create();
    await h.drain();
    h.provider.onCancel = () => false;
    expect(await refusalOf(cancel())).toBe(ErrorReason.NOT_CANCELABLE);
    h.clock.advance(1_000);
    await h.drain();
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 210n });
    expect(await refusalOf(cancel())).toBe(ErrorReason.ALREADY_FINISHED);
    expect(h.finished.map(({ generation }) => generation?.status)).toEqual([Status.SUCCESS]);
  });

  it("of a video that waits for a place leaves nothing in the queue", async () => {
    const { available } = h.deps.upstreams;
    h.deps.upstreams.available = () => [];
    const { cancel } = await create();
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    h.deps.upstreams.available = available;
    await h.drain();
    expect(h.provider.submitted).toHaveLength(0);
    expect(await h.balance(accountId)).toEqual([1_000n, 0n]);
  });

  it("is not what a stop that nobody asked for is: that is a failure", async () => {
    const { read } = await create();
    h.provider.onPoll = () => ({ kind: "stopped" });
    await h.drain();
    h.clock.advance(1_000);
    await h.drain();
    expect(await read()).toMatchObject({
      status: Status.FAILED,
      error: { code: "upstream_failed" },
    });
  });

  it("of another account's or mode's video finds nothing", async () => {
    const { address } = await create();
    for (const other of [{ accountId: randomId("acct") }, { mode: Mode.TEST }]) {
      const call = h.client.cancelVideo({ ...address, ...other });
      expect(await refusalOf(call)).toBe(ErrorReason.NOT_FOUND);
    }
  });

  it("that meets a success being settled is told that it came too late", async () => {
    const { cancel, read } = await create();
    await h.drain();
    h.clock.advance(1_000);
    h.faults.capture = true;
    const rows = await h.claim(10);
    await Promise.all(rows.map((row) => runJob(h.deps, row, new AbortController().signal)));
    expect(await refusalOf(cancel())).toBe(ErrorReason.ALREADY_FINISHED);
    h.faults.capture = false;
    h.clock.advance(60_000);
    await h.drain();
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(await h.balance(accountId)).toEqual([790n, 0n]);
  });
});
