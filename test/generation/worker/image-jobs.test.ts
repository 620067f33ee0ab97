/** Images: asynchronous ones, those that are jobs at their upstream, and those that are made within one call. */
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TransactionType } from "#gen/proto/media/billing/v1/billing_pb.ts";
import { StoreOutputRequestSchema } from "#gen/proto/media/delivery/v1/delivery_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { FINISHED, running, scriptedUpstream } from "../../support/scripted-provider.ts";
import { failedWith, isDown, pendingCall, useHarness, useUpstreams } from "../fixture.ts";

const h = useHarness();
/** Makes images within the call. */
const direct = scriptedUpstream("direct");
const upstreams = useUpstreams(h, direct);

const made = (count: number) => ({
  kind: "succeeded" as const,
  sources: Array.from({ length: count }).flatMap(() => FINISHED.sources),
});

describe("an image of an upstream whose images are jobs", () => {
  const jobs = scriptedUpstream("jobs");
  delete (jobs.provider as Partial<typeof jobs.provider>).image;
  useUpstreams(h, jobs);

  it("is submitted, polled at least once a second, stored and charged", async () => {
    const { read, status } = await h.createImage();
    expect(await status()).toBe(Status.PROCESSING);
    const { onPoll } = jobs.provider;
    jobs.provider.onPoll = () => running(15_000);
    await h.drain();
    expect(jobs.provider.submitted[0]).toMatchObject({ kind: "image", prompt: "a cat" });
    await h.after(1_000);
    jobs.provider.onPoll = onPoll;
    await h.after(1_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("goes on after its submit was not answered: the job is found and not submitted again", async () => {
    const { read } = await h.createImage();
    jobs.provider.onSubmit = () => ({ kind: "unknown" });
    jobs.provider.onFind = (token) => `made-${token}`;
    await h.drain();
    await h.after(2_000);
    await h.after(2_000);
    expect((await read())?.status).toBe(Status.SUCCESS);
    expect(jobs.provider.submitted).toHaveLength(1);
  });

  it("of which one of two could be stored by the deadline succeeds with that one", async () => {
    jobs.provider.onPoll = () => made(2);
    const { read, accountId, generationId } = await h.createImage({ n: 2 });
    h.replace("delivery", { storeOutput: isDown });
    await h.drain();
    // Delivery has stored one of them.
    h.stored.push(create(StoreOutputRequestSchema, { generationId }));
    await h.after(5 * 60_000 + 1_000);
    await h.after(60_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 42n });
    expect(await h.balance(accountId)).toEqual([958n, 0n]);
  });
});

describe("several images", () => {
  it.each([
    [4, 168n, 4],
    // The others' Tokens come back with the charge.
    [3, 126n, 3],
    // More than was asked for are neither stored nor charged.
    [5, 168n, 4],
  ])("are one job: %i that are made of four cost %i Tokens", async (count, credits, kept) => {
    direct.provider.onImage = () => made(count);
    const { read, accountId, address } = await h.createImage({ n: 4 });
    expect(await h.balance(accountId)).toEqual([1_000n - 168n, 168n]);
    await h.drain();
    expect(direct.provider.submitted).toMatchObject([{ count: 4 }]);
    const output = Array.from({ length: kept }, () => ({ key: "a.mp4" }));
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits, output });
    expect(await h.balance(accountId)).toEqual([1_000n - credits, 0n]);
    const { transactions } = await h.billing.listTransactions({ ...address, limit: 10 });
    expect(transactions.map(({ type, tokens }) => [type, tokens])).toEqual([
      [TransactionType.CAPTURE, 168n - credits],
      [TransactionType.RESERVE, -168n],
    ]);
    expect((await h.billing.auditAccount(address)).differences).toEqual([]);
  });
});

describe("an image", () => {
  it("whose upstream never answers ends as a timeout, even if the provider ignores its signal", async () => {
    const { read } = await h.createImage();
    direct.provider.onImage = () => new Promise(() => {});
    const drained = h.drain();
    await expect.poll(() => direct.provider.submitted.length).toBe(1);
    for (let i = 0; i < 110; i++) h.clock.advance(3_000);
    await drained;
    expect((await read())?.error?.code).toBe("upstream_timeout");
  });

  it("whose copy fails is copied again until the deadline", async () => {
    const { read } = await h.createImage();
    const { storeOutput } = h.deps.delivery;
    let copies = 0;
    h.replace("delivery", {
      storeOutput: (...call) => (++copies < 3 ? isDown() : storeOutput(...call)),
    });
    const pausesMs = h.passPauses(500, 1_000);
    await h.drain();
    expect([copies, pausesMs, (await read())?.status]).toEqual([3, [500, 1_000], Status.SUCCESS]);
    expect(direct.provider.submitted).toHaveLength(1);
  });
});

describe("an asynchronous image", () => {
  const createAsynchronously = (input = {}) => h.createImage(input, { asynchronous: true });

  it.each([
    ["", {}, 42n],
    [" and its pictures are fetched", { imageUrls: ["https://pictures.test/1.png"] }, 63n],
  ])(
    "is pending while it waits%s, processing from its call on, and charged",
    async (_, input, credits) => {
      direct.provider.takesBytes = true;
      const { read, status } = await createAsynchronously(input);
      expect(await read()).toMatchObject({ status: Status.PENDING, credits });
      expect(await read()).not.toHaveProperty("startedAt");
      expect(await h.balance(h.accountId)).toEqual([1_000n - credits, credits]);
      const { call: onImage, made, answer } = pendingCall<typeof FINISHED>();
      direct.provider.onImage = onImage;
      const worker = h.drain();
      await made;
      expect(await status()).toBe(Status.PROCESSING);
      answer(FINISHED);
      await worker;
      const startedAt = timestampFromDate(h.clock.now());
      expect(await read()).toMatchObject({ status: Status.SUCCESS, startedAt });
      expect(await h.balance(h.accountId)).toEqual([1_000n - credits, 0n]);
    },
  );

  it("that no upstream took stays processing, and begins once", async () => {
    const { read, status } = await createAsynchronously();
    direct.provider.onImage = () => ({ kind: "rejected", fault: "unavailable" });
    await h.drain();
    expect(await status()).toBe(Status.PROCESSING);
    const begunAt = (await read())?.startedAt;
    direct.provider.onImage = () => FINISHED;
    await h.after(60_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, startedAt: begunAt });
  });

  it("that waits for an upstream in vain fails after five minutes, restored", async () => {
    const { read } = await createAsynchronously();
    upstreams.availableUpstreams = [];
    await h.after(5 * 60_000 + 1_000);
    expect(await read()).toMatchObject(failedWith("upstream_timeout"));
    expect(await read()).not.toHaveProperty("startedAt");
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("is answered to a repeated create as it is, whether it is asynchronous or not", async () => {
    const { address } = await createAsynchronously();
    const request = { ...address, model: "gamma-image-3.0-pro", input: { prompt: "a cat" } };
    const pending = await h.client.createImage(request);
    expect(pending).toMatchObject({ replayed: true, generation: { status: Status.PENDING } });
    await h.drain();
    const ended = await h.client.createImage({ ...request, asynchronous: true });
    expect(ended).toMatchObject({ replayed: true, generation: { status: Status.SUCCESS } });
    expect(direct.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });
});
