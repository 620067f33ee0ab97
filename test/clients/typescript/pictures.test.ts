/** Pictures of the caller's own in place of URLs, on a fake service. */
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Picture } from "../../../clients/typescript/index.ts";
import { fakeService, ok } from "./fake-service.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const KEY = "idempotency-key";

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
  await client.images.create({
    model: "gamma-image-3.0-pro",
    prompt: "a cat",
    image_urls: ["https://a.example.com/1.png", ...pictures],
    metadata: { path },
  });
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    ...pictures.map(() => "/v1/files"),
    "/v1/images/generations",
  ]);
  expect(await requests.at(-1)?.json()).toEqual({
    model: "gamma-image-3.0-pro",
    prompt: "a cat",
    image_urls: [
      "https://a.example.com/1.png",
      ...["a", "b", "b", "c", "d", "d"].map((name) => `https://files.example.com/${name}`),
    ],
    metadata: { path },
  });
});

it("a file that was sent, an output and a URL object stand for their URL", async () => {
  const { client, requests } = fileService();
  const url = "https://files.example.com/a";
  const file = await client.files.create(new Blob(["a"]));
  const reference = { url: file, role: "style" } as const;
  const request = { model: "an-id-of-tomorrow", prompt: "a cat", image_url: file } as const;
  const frame = new URL("https://a.example.com/cat.png");
  const references = { reference_images: [reference], last_image_url: frame };
  await client.videos.create({ ...request, ...references });
  await client.images.create({ ...request, image_urls: [{ url, bytes: 7 }] } as never);
  expect(await requests[1]?.json()).toMatchObject({
    image_url: url,
    last_image_url: frame.href,
    reference_images: [{ url, role: "style" }],
  });
  expect(await requests[2]?.json()).toMatchObject({ image_urls: [url] });
  expect(requests).toHaveLength(3);
});

it("a repeated create sends its pictures under the same keys, each under its own", async () => {
  const keys: Set<string | null>[] = [];
  for (const _ of [1, 2]) {
    const { client, requests } = fileService();
    const image_urls = [new Blob(["a"]), new Blob(["b"])];
    const request = { model: "gamma-image-3.0-pro", prompt: "a cat", image_urls } as const;
    await client.images.create(request, { idempotencyKey: "k".repeat(191) });
    keys.push(new Set(requests.map(({ headers }) => headers.get(KEY))));
  }
  const [first, repeated] = keys;
  expect(first).toEqual(repeated);
  expect(first?.size).toBe(3);
  const ofPictures = Array.from(first ?? []).filter((key) => /^[0-9a-f]{64}$/.test(key ?? ""));
  expect(ofPictures).toHaveLength(2);
});

it("a text is never read as a path, and a file that cannot be read sends nothing", async () => {
  const { client, requests } = fileService();
  const request = { model: "alpha-2.0", prompt: "a cat" } as const;
  await client.videos.create({ ...request, image_url: "/etc/hostname" });
  expect(await requests[0]?.json()).toMatchObject({ image_url: "/etc/hostname" });
  const text = client.files.create("picture.png" as never);
  await expect(text).rejects.toThrow("A picture is a Blob, bytes, a stream or { path }.");
  const missing = client.videos.create({ ...request, image_url: { path: "/none.png" } });
  await expect(missing).rejects.toThrow(/^There is no file \S+\.$/);
  const wrong = { ...request, image_url: { file: "a.png" } as unknown as Picture };
  await expect(client.videos.create(wrong)).rejects.toThrow("image_url: It takes a URL, a Blob");
  expect(requests).toHaveLength(1);
});
