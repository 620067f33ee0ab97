/** An image whose worker died within its call: it ends with what was stored, and a failure leaves nothing stored. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { FAILURES } from "../../../services/generation/domain/failures.ts";
import type { Imaged } from "../../../services/generation/providers/provider.ts";
import { runTask } from "../../../services/generation/worker/worker.ts";
import { LEASE_MS } from "../../../services/generation/worker/steps/slots.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { failedWith, isDown, pendingCall, useHarness } from "../fixture.ts";

const WAIT_FOR_WORKER_MS = 30_000;

const h = useHarness();
beforeEach(() => h.endTasks());

/** A worker that dies as delivery has stored its image, before it has decided anything. */
async function diesWhenStored() {
  const { read, generationId } = await h.createImage();
  const row = await h.claimOne();
  const dead = pendingCall();
  const { storeOutput } = h.deps.delivery;
  const restore = h.replace("delivery", {
    storeOutput: async (...call) => {
      await storeOutput(...call);
      return dead.call();
    },
  });
  void runTask(h.paused(), row, new AbortController().signal);
  restore();
  await dead.made;
  return { read, generationId };
}

/** A worker that is paused in its image call; `answer` ends the call once it works again. */
async function isPausedInItsCall() {
  const task = await h.createImage();
  const call = pendingCall<Imaged>();
  const { onImage } = h.provider;
  h.provider.onImage = call.call;
  const row = await h.claimOne();
  const clock = manualClock(h.clock.now().toISOString());
  const renewed = Promise.withResolvers<void>();
  const sql = new Proxy(h.deps.sql, {
    apply: (target, self, args) => {
      const query = Reflect.apply(target, self, args) as Promise<unknown>;
      void query.then(() => setImmediate(renewed.resolve));
      return query;
    },
  });
  const ended = runTask({ ...h.deps, clock, sql }, row, new AbortController().signal);
  await call.made;
  h.provider.onImage = onImage;
  const answer = async (imaged: Imaged) => {
    // It has tried to renew its lease before it reads the answer.
    clock.advance(LEASE_MS);
    await renewed.promise;
    call.answer(imaged);
    await ended;
  };
  return { ...task, answer };
}

/** For the rest of the test delivery says this of what it has stored. */
function tellOfOutput(told: () => object): void {
  const { findOutput } = h.deps.delivery;
  h.replace("delivery", {
    findOutput: async (...call) => ({ ...(await findOutput(...call)), ...told() }),
  });
}

describe("an image whose worker died within the call", () => {
  it("ends in success with what delivery has stored of it, and is not made again", async () => {
    const { read } = await diesWhenStored();
    await h.after(LEASE_MS + 1);
    expect(await read()).toMatchObject({
      status: Status.SUCCESS,
      credits: 42n,
      output: [{ key: "a.mp4" }],
    });
    expect(h.provider.submitted).toHaveLength(1);
    expect(h.discarded).toEqual([]);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("waits for a copy that goes on without the worker, and for delivery", async () => {
    const { read } = await diesWhenStored();
    const told = [{ output: [], missing: 1, copying: 1 }, {}].values();
    const restore = h.replace("delivery", { findOutput: isDown });
    await h.after(LEASE_MS + 1);
    restore();
    tellOfOutput(() => told.next().value ?? {});
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.PROCESSING);
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
  });

  it("goes on with the job that its upstream knows of it, where that can be asked, and is not made again", async () => {
    h.provider.findsImages = true;
    const { read } = await isPausedInItsCall();
    h.provider.onFind = (token) => `image-${token}`;
    await h.after(LEASE_MS + 1);
    await h.after(1_000);
    delete h.provider.findsImages;
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("ends in success if its worker was only paused, and comes back with the answer within 30 s", async () => {
    const { read, answer } = await isPausedInItsCall();
    await h.after(LEASE_MS + 1);
    await h.after(WAIT_FOR_WORKER_MS - 1_000);
    await answer(FINISHED);
    await h.after(1_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("fails after 30 s without its worker, restored, and a later answer changes nothing", async () => {
    const { read, answer, generationId } = await isPausedInItsCall();
    await h.after(LEASE_MS + 1);
    await h.after(WAIT_FOR_WORKER_MS);
    const failed = { status: Status.FAILED, error: { code: "internal" } };
    expect(await read()).toMatchObject(failed);
    await answer(FINISHED);
    await h.after(1_000);
    expect(await read()).toMatchObject(failed);
    expect(h.discarded).toEqual([generationId]);
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("fails as soon as no copy can store it any more, and 30 s have passed", async () => {
    const { read } = await diesWhenStored();
    let copying = 1;
    tellOfOutput(() => ({ output: [], missing: 1, copying }));
    await h.after(LEASE_MS + 1);
    expect((await read())?.status).toBe(Status.PROCESSING);
    copying = 0;
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.PROCESSING);
    await h.after(WAIT_FOR_WORKER_MS);
    expect((await read())?.status).toBe(Status.FAILED);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it.each([
    ["fails, and what is stored of it is discarded", { output: [] }, failedWith("internal"), 0n],
    ["succeeds with the files that are stored", {}, { status: Status.SUCCESS }, 42n],
  ])("whose copy never ends %s at its deadline", async (_what, stored, end, charged) => {
    const { read, generationId } = await diesWhenStored();
    tellOfOutput(() => ({ ...stored, missing: 1 }));
    await h.after(5 * 60_000 + 1);
    expect(await read()).toMatchObject(end);
    expect(h.discarded).toEqual(end.status === Status.FAILED ? [generationId] : []);
    expect(await h.balance(h.accountId)).toEqual([1_000n - charged, 0n]);
  });
});

it("a generation that failed after it was submitted is discarded at delivery, again and again until that has worked", async () => {
  const { status, generationId } = await h.createVideo();
  h.provider.onPoll = () => ({ kind: "failed", failure: FAILURES.interrupted });
  const restore = h.replace("delivery", { discardOutput: isDown });
  await h.sendAndPoll();
  expect(await status()).toBe(Status.FAILED);
  await h.after(1_000);
  restore();
  await h.after(30_000);
  expect(h.discarded).toEqual([generationId]);
});
