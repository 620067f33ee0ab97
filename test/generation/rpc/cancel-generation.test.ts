/** CancelGeneration: when a cancel succeeds, when it is refused, and what becomes of the upstream job. */
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import type { Submitted } from "../../../services/generation/providers/provider.ts";
import { failedWith, isDown, pendingCall, refusalOf, useHarness } from "../fixture.ts";

const h = useHarness();

describe("a cancel", () => {
  it.each(["video", "image"])(
    "of a pending %s always succeeds and restores its Tokens, and can be repeated",
    async (kind) => {
      const { cancel } = await (kind === "video" ? h.createVideo() : createPendingImage());
      for (let i = 0; i < 2; i++) {
        const { generation } = await cancel();
        expect(generation).toMatchObject({ status: Status.CANCELED, credits: 0n });
      }
      expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
      await h.after(60_000);
      expect(h.provider.submitted).toHaveLength(0);
      expect(h.finished.map(({ generation }) => generation?.status)).toEqual([Status.CANCELED]);
    },
  );

  it("while the submit is in flight succeeds, and the upstream job is canceled when it becomes known", async () => {
    const { cancel, read } = await h.createVideo();
    const { call: onSubmit, made, answer } = pendingCall<Submitted>();
    h.provider.onSubmit = onSubmit;
    const worker = h.work(await h.claim(1));
    await made;
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    answer({ kind: "accepted", upstreamId: `late ${h.accountId}` });
    await worker;
    await h.drain();
    expect(h.provider.cancelled).toHaveLength(1);
    expect((await read())?.status).toBe(Status.CANCELED);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("after a submit of unknown outcome cancels the job that turns up, even while delivery cannot discard what was stored", async () => {
    const { cancel } = await h.createVideo();
    h.provider.onSubmit = () => ({ kind: "unknown" });
    await h.drain();
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    h.replace("delivery", { discardOutput: isDown });
    h.provider.onFind = (token) => `made-${token}`;
    await h.after(60_000);
    expect(h.provider.cancelled).toHaveLength(1);
  });

  it("that the upstream declines is refused, and the video goes on to its end", async () => {
    const { cancel, read } = await h.createVideo();
    await h.drain();
    h.provider.onCancel = () => false;
    expect(await refusalOf(cancel())).toBe(ErrorReason.NOT_CANCELABLE);
    await h.after(1_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 210n });
    expect(await refusalOf(cancel())).toBe(ErrorReason.ALREADY_FINISHED);
    expect(h.finished.map(({ generation }) => generation?.status)).toEqual([Status.SUCCESS]);
    expect(await h.balance(h.accountId)).toEqual([790n, 0n]);
  });

  it("beside one that the upstream has carried out is answered as that one", async () => {
    const { address } = await h.createVideo();
    await h.drain();
    const [both, oneEnded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let calls = 0;
    h.provider.onCancel = async (upstreamId) => {
      // Jobs of earlier tests may still be canceled.
      if (!upstreamId.includes(address.generationId)) return true;
      calls += 1;
      if (calls === 1) {
        await both.promise;
        return true;
      }
      both.resolve();
      await oneEnded.promise;
      return false;
    };
    const cancel = () => h.client.cancelGeneration(address).finally(oneEnded.resolve);
    const answers = await h.withWorkers(() => Promise.all([cancel(), cancel()]));
    const statuses = answers.map(({ generation }) => generation?.status);
    expect(statuses).toEqual([Status.CANCELED, Status.CANCELED]);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("that the upstream carries out after the refusal makes the video canceled, not failed", async () => {
    const { cancel, read } = await h.createVideo();
    await h.drain();
    h.provider.onCancel = () => {
      throw new Error("no answer");
    };
    expect(await refusalOf(cancel())).toBe(ErrorReason.NOT_CANCELABLE);
    h.provider.onPoll = () => ({ kind: "stopped" });
    await h.after(1_000);
    expect((await read())?.status).toBe(Status.CANCELED);
  });

  it("that the upstream never answers is refused after ten seconds, and the video goes on", async () => {
    const { cancel, read } = await h.createVideo();
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

  it("is not assumed if the upstream stops a job unasked: the video fails", async () => {
    const { read } = await h.createVideo();
    h.provider.onPoll = () => ({ kind: "stopped" });
    await h.sendAndPoll();
    expect(await read()).toMatchObject(failedWith("upstream_failed"));
  });
});

const createPendingImage = () => h.createImage({}, { asynchronous: true });

describe("a cancel of an image", () => {
  it("that a worker has taken, with the intent to send it, is refused, and the image is charged", async () => {
    const { cancel } = await createPendingImage();
    const rows = await h.claim(1);
    expect(await refusalOf(cancel())).toBe(ErrorReason.NOT_CANCELABLE);
    await h.work(rows);
    expect(h.provider.submitted).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([958n, 0n]);
  });

  it("that no upstream took succeeds, and it is not sent again", async () => {
    const { cancel, read } = await createPendingImage();
    h.provider.onImage = () => ({ kind: "rejected", fault: "unavailable" });
    await h.drain();
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    const sent = h.provider.submitted.length;
    await h.after(60_000);
    expect(h.provider.submitted).toHaveLength(sent);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("that is a job of its upstream succeeds if the upstream certainly stops the job", async () => {
    delete (h.provider as Partial<typeof h.provider>).image;
    const { cancel, read } = await createPendingImage();
    await h.drain();
    expect((await read())?.status).toBe(Status.PROCESSING);
    expect((await cancel()).generation?.status).toBe(Status.CANCELED);
    expect(h.provider.cancelled).toHaveLength(1);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });
});
