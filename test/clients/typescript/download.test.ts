/** The files of generations: streamed, or saved to a path. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ArgumentError, ConnectionError } from "../../../clients/typescript/index.ts";
import { fakeService, refusal, unavailable } from "./fake-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

describe("download", () => {
  const output = { url: "https://files.example.com/assets/1.mp4" };

  it("streams the file, and sends the key to no host", async () => {
    const { client, requests, slept } = fakeService([unavailable(), () => new Response("film")]);
    const response = await client.download(output);
    expect(response.bodyUsed).toBe(false);
    expect(await response.text()).toBe("film");
    expect(requests.map(({ url }) => url)).toEqual([output.url, output.url]);
    expect(requests[0]?.headers.has("authorization")).toBe(false);
    expect(slept).toHaveLength(1);
  });

  it("throws the service's error", async () => {
    const gone = fakeService([refusal(410, { type: "not_found_error", code: "gone" })]);
    await expect(gone.client.download(output)).rejects.toMatchObject({ code: "gone" });
    const other = fakeService([() => new Response("<html>", { status: 403 })]);
    await expect(other.client.download(output)).rejects.toMatchObject({ status: 403 });
  });

  it("saves the file to a path, in place of one that is there", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "cat.mp4");
    await writeFile(path, "an older film, which is longer");
    const { client } = fakeService([() => new Response("film")]);
    expect(await client.download({ ...output, bytes: 4 }, path)).toBeUndefined();
    expect(await readFile(path, "utf8")).toBe("film");
    expect(await readdir(folder.path)).toEqual(["cat.mp4"]);
  });

  it("leaves nothing, and the older file, of one that breaks off or cannot be written", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "cat.mp4");
    await writeFile(path, "old");
    const broken = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode("fi")),
          pull: (controller) => controller.error(new TypeError("terminated")),
        }),
      );
    const save = (answer: () => Response, to = path) =>
      fakeService([answer]).client.download({ ...output, bytes: 4 }, to);
    await expect(save(broken)).rejects.toBeInstanceOf(ConnectionError);
    await expect(save(() => new Response("fi"))).rejects.toThrow("2 of 4 bytes received");
    expect(await readFile(path, "utf8")).toBe("old");
    expect(await readdir(folder.path)).toEqual(["cat.mp4"]);
  });

  it("says of a folder, and of a path in none, what to give, and fetches nothing", async () => {
    await using folder = await temporaryFolder();
    const { client, requests } = fakeService([() => new Response("film")]);
    const none = join(folder.path, "none");
    for (const [path, message] of [
      [
        folder.path,
        `${folder.path} is a folder. Give the path of a file, such as ${folder.path}/cat.mp4.`,
      ],
      [join(none, "cat.mp4"), `There is no folder ${none} for ${none}/cat.mp4. Make it first.`],
    ] as const) {
      const saved = client.download(output, path);
      await expect(saved).rejects.toBeInstanceOf(ArgumentError);
      await expect(saved).rejects.toThrow(message);
    }
    expect(requests).toHaveLength(0);
    expect(await readdir(folder.path)).toEqual([]);
  });
});
