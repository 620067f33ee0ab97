/** Polls: when an unknown job is believed to be gone, and the waits that upstreams ask for. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { FINISHED, running } from "../../support/scripted-provider.ts";
import { after, createImage, createVideo, failedWith, useHarness } from "../fixture.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

/** A video that its upstream accepted, polled each time that `polls` counts. */
async function accepted() {
  const polls = { count: 0 };
  const task = await createVideo(h);
  await h.drain();
  const { onPoll } = h.provider;
  h.provider.onPoll = (upstreamId) => {
    polls.count += 1;
    return onPoll(upstreamId);
  };
  const says = (answer: typeof onPoll) => {
    h.provider.onPoll = (upstreamId) => {
      polls.count += 1;
      return answer(upstreamId);
    };
  };
  return { ...task, polls, says };
}

describe("a job that its upstream does not know", () => {
  it("is polled again, and goes on when the upstream knows it", async () => {
    const { read, status, says } = await accepted();
    says(() => ({ kind: "gone" }));
    await after(h, 1_000);
    await after(h, 30_000);
    expect(await status()).toBe(Status.PROCESSING);
    says(() => FINISHED);
    await after(h, 6_000);
    expect(await read()).toMatchObject({ status: Status.SUCCESS, credits: 210n });
  });

  it("is gone after a minute, restored", async () => {
    const { read, status, says } = await accepted();
    says(() => ({ kind: "gone" }));
    for (let i = 0; i < 9; i++) await after(h, 6_000);
    expect(await status()).toBe(Status.PROCESSING);
    for (let i = 0; i < 3; i++) await after(h, 6_000);
    expect(await read()).toMatchObject(failedWith("expired"));
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });

  it("is not gone when it was seen in between, however often it is missing for a moment", async () => {
    const { status, says } = await accepted();
    for (let i = 0; i < 8; i++) {
      says(() => (i % 2 === 0 ? { kind: "gone" } : running(10_000)));
      await after(h, 12_000);
    }
    says(() => ({ kind: "gone" }));
    await after(h, 12_000);
    expect(await status()).toBe(Status.PROCESSING);
  });

  it("is gone at its deadline, if it is not known then", async () => {
    const { read, says } = await accepted();
    says(() => ({ kind: "gone" }));
    await after(h, 21 * 60_000);
    expect(await read()).toMatchObject(failedWith("expired"));
  });
});

describe("an upstream that asks for a wait", () => {
  it("in answer to a poll of a running image is not polled sooner, but after a minute at most", async () => {
    const { image } = h.provider;
    delete h.provider.image;
    const { status } = await createImage(h);
    await h.drain();
    let polls = 0;
    h.provider.onPoll = () => {
      polls += 1;
      return polls === 1 ? { ...running(500), retryAfterMs: 24 * 60 * 60_000 } : FINISHED;
    };
    await after(h, 1_000);
    for (let i = 0; i < 5; i++) await after(h, 10_000);
    expect(polls).toBe(1);
    for (let i = 0; i < 3; i++) await after(h, 10_000);
    expect([polls, await status()]).toEqual([2, Status.SUCCESS]);
    if (image) h.provider.image = image;
  });
});
