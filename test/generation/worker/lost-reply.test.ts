/** A statement of a worker that was carried out although its reply was lost. */
import { expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import type { Deps } from "../../../services/generation/deps.ts";
import { after, createVideo, useHarness } from "../fixture.ts";

const h = useHarness();

it("a task whose last reply was lost is done, and no worker claims it again", async () => {
  const video = await createVideo(h);
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
