/** `npm start` on the data of another version. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { clientOf } from "../support/customer.ts";
import { releasedTree } from "../support/released-tree.ts";
import { isLong } from "../support/test-size.ts";
import { standaloneIn } from "../support/whole-service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it.runIf(isLong)(
  "keeps that of the last release",
  async ({ skip }) => {
    await using last = await releasedTree();
    if (!last) return skip("nothing is released, or this clone lacks the commit");
    await using folder = await temporaryFolder();
    const dataDir = join(folder.path, "data");
    const key = () => readFile(join(dataDir, "demo/live-key"), "utf8");
    const before = await (async () => {
      await using service = await standaloneIn(dataDir, {}, last.path);
      const client = clientOf(service.url, await key());
      const { id } = await client.videos.create({ model: "beta-3.0-video", prompt: "a cat" });
      return { video: await client.videos.wait(id), balance: await client.balance.retrieve() };
    })();
    await using service = await standaloneIn(dataDir);
    const client = clientOf(service.url, await key());
    const video = await client.videos.retrieve(before.video.id);
    expect(video).toMatchObject({
      id: before.video.id,
      status: "success",
      credits: before.video.credits,
    });
    expect(await client.balance.retrieve()).toEqual(before.balance);
    expect((await fetch(video.output?.[0]?.url ?? "")).status).toBe(200);
    const { id } = await client.videos.create({ model: "beta-3.0-video", prompt: "another cat" });
    expect((await client.videos.wait(id)).status).toBe("success");
  },
  240_000,
);
