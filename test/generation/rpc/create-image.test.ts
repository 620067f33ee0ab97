/** Images: when one is pending and when processing, and how it ends. */
import { beforeEach, expect, it } from "vitest";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { FINISHED } from "../../support/scripted-provider.ts";
import { after, createImage, failedWith, useHarness } from "../fixture.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

const createAsynchronously = () => createImage(h, {}, { asynchronous: true });

it("an asynchronous image is pending while it waits, processing from its call on, and charged with its success", async () => {
  const { read, status } = await createAsynchronously();
  expect(await read()).toMatchObject({ status: Status.PENDING, credits: 42n });
  expect((await read())?.startedAt).toBeUndefined();
  expect(await h.balance(h.accountId)).toEqual([958n, 42n]);
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<typeof FINISHED>();
  h.provider.onImage = () => {
    called.resolve();
    return answered.promise;
  };
  const worker = h.drain();
  await called.promise;
  expect(await status()).toBe(Status.PROCESSING);
  answered.resolve(FINISHED);
  await worker;
  expect(await read()).toMatchObject({
    status: Status.SUCCESS,
    startedAt: timestampFromDate(h.clock.now()),
  });
  expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
});

it("an asynchronous image that no upstream took stays processing, and begins once", async () => {
  const { read, status } = await createAsynchronously();
  h.provider.onImage = () => ({ kind: "rejected", fault: "unavailable" });
  await h.drain();
  expect(await status()).toBe(Status.PROCESSING);
  const begunAt = (await read())?.startedAt;
  h.provider.onImage = () => FINISHED;
  await after(h, 60_000);
  expect(await read()).toMatchObject({ status: Status.SUCCESS, startedAt: begunAt });
});

it("an asynchronous image that waits for an upstream in vain fails after five minutes, restored", async () => {
  const { read } = await createAsynchronously();
  h.deps.upstreams.of = () => [];
  await after(h, 5 * 60_000 + 1_000);
  expect(await read()).toMatchObject(failedWith("upstream_timeout"));
  expect((await read())?.startedAt).toBeUndefined();
  expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
});

it("a repeated create answers the image as it is, whether it is asynchronous or not", async () => {
  const { generationId } = await createAsynchronously();
  const request = {
    accountId: h.accountId,
    mode: Mode.LIVE,
    generationId,
    model: "gamma-image-3.0-pro",
    input: { prompt: "a cat" },
  };
  const pending = await h.client.createImage(request);
  expect(pending).toMatchObject({ replayed: true, generation: { status: Status.PENDING } });
  await h.drain();
  const ended = await h.client.createImage({ ...request, asynchronous: true });
  expect(ended).toMatchObject({ replayed: true, generation: { status: Status.SUCCESS } });
  expect(h.provider.submitted).toHaveLength(1);
  expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
});
