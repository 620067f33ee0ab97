/** The files of a generation that ends without success are given back. create-video.test.ts has those of refused creates. */
import { beforeEach, describe, expect, it } from "vitest";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { FAILURES } from "../../../services/generation/domain/failures.ts";
import { isDown, useHarness } from "../fixture.ts";

const h = useHarness();
beforeEach(() => h.endTasks());

/** A video with a file of its account, and the files that were given back of it. */
async function createWithFile() {
  const imageUrl = `https://media.example/assets/${"0".repeat(26)}.png`;
  const video = await h.createVideo({ model: "beta-2.7-image-to-video", input: { imageUrl } });
  const givenBack = () => h.releasedFiles.filter((one) => one === `${video.generationId} 1`).length;
  return { ...video, givenBack };
}

const failed = () => ({ kind: "failed", failure: FAILURES.stopped }) as const;

describe("a generation with a file", () => {
  it.each([
    ["failed", 1],
    ["canceled", 1],
    ["success", 0],
  ] as const)("that ends as %s gives it back if nothing was made", async (status, count) => {
    const { cancel, givenBack, accountId, generationId } = await createWithFile();
    if (status === "failed") h.provider.onPoll = failed;
    if (status === "canceled") await cancel();
    await h.sendAndPoll();
    expect((await h.deps.find(accountId, generationId))?.status).toBe(status);
    expect(givenBack()).toBe(count);
  });

  it("ends only once its file is given back, and restores its Tokens once", async () => {
    const { givenBack, status } = await createWithFile();
    h.provider.onPoll = failed;
    const restore = h.replace("delivery", { releaseFiles: isDown });
    await h.sendAndPoll();
    expect(await status()).not.toBe(Status.FAILED);
    restore();
    await h.after(60_000);
    expect([givenBack(), await status()]).toEqual([1, Status.FAILED]);
    expect(await h.balance(h.accountId)).toEqual([1_000n, 0n]);
  });
});
