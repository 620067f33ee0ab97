/** The files of generations, streamed or saved, and pictures of the caller's own in place of URLs; on a fake service. */
import { createReadStream } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ConnectionError, type Picture } from "../../../clients/typescript/index.ts";
import { fakeService, ok, refusal, unavailable } from "./fake-service.ts";
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
    const video = { id: "vgen_1", output: [{ ...output, bytes: 4 }] };
    expect(await client.download(video, path)).toBeUndefined();
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
});

/** A service that names each file after the bytes that it was sent. */
function fileService() {
  return fakeService([
    async (request) => {
      if (!request.url.endsWith("/files")) return ok({ id: "gen", body: await request.json() });
      const file = (await request.formData()).get("file") as File;
      return ok({ url: `https://files.example.com/${await file.text()}` });
    },
  ]);
}

it("any form of a picture is sent first, and its URL takes its place", async () => {
  await using folder = await temporaryFolder();
  const path = join(folder.path, "d");
  await writeFile(path, "d");
  const bytes = (text: string) => new TextEncoder().encode(text);
  const pictures: Picture[] = [
    new Blob(["a"]),
    bytes("b"),
    bytes("b").buffer,
    new Blob(["c"]).stream(),
    { path },
    createReadStream(path),
  ];
  const { client, requests } = fileService();
  const request = { model: "gamma-image-3.0-pro", prompt: "a cat", metadata: { path } } as const;
  const url = "https://a.example.com/1.png";
  await client.images.create({ ...request, image_urls: [url, ...pictures] });
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    ...pictures.map(() => "/v1/files"),
    "/v1/images/generations",
  ]);
  const sent = ["a", "b", "b", "c", "d", "d"].map((name) => `https://files.example.com/${name}`);
  expect(await requests.at(-1)?.json()).toEqual({ ...request, image_urls: [url, ...sent] });
});

it("a URL object stands for its URL, also in an output", async () => {
  const { client, requests } = fakeService([ok({ id: "vgen_1" })]);
  const request = { model: "an-id-of-tomorrow", prompt: "a cat" } as const;
  const frame = new URL("https://a.example.com/cat.png");
  await client.videos.create({ ...request, last_image_url: frame });
  await client.images.create({ ...request, image_urls: [{ url: frame }] } as never);
  expect(await requests[0]?.json()).toMatchObject({ last_image_url: frame.href });
  expect(await requests[1]?.json()).toMatchObject({ image_urls: [frame.href] });
});

it("a file that is not there, and a number that JSON does not have, send nothing", async () => {
  const { client, requests } = fileService();
  const request = { model: "alpha-2.0", prompt: "a cat" } as const;
  const created = client.videos.create({ ...request, seed: NaN });
  await expect(created).rejects.toThrow("seed is NaN, a number that JSON does not have.");
  const missing = client.videos.create({ ...request, image_url: { path: "/none.png" } });
  await expect(missing).rejects.toThrow(/^image_url: There is no file \S+\.$/);
  expect(requests).toHaveLength(0);
});
