/** What no type tells of arguments is refused before anything is sent. */
import { describe, expect, it } from "vitest";
import { ArgumentError, createClient, type Picture } from "../../../clients/typescript/index.ts";
import { fakeService, ok } from "./fake-service.ts";

const VIDEO = { model: "an-id-of-tomorrow", prompt: "a cat" };
const NO_PICTURE = { file: "a" } as unknown as Picture;

describe("a call", () => {
  it("with an id or a picture that is none rejects, and sends nothing", async () => {
    const { client, requests } = fakeService([ok({})]);
    const missing = undefined as unknown as string;
    const cases: [Promise<unknown>, string][] = [
      [client.videos.retrieve(""), "The id must be a text that is not empty"],
      [client.videos.delete(missing), "The id must be a text that is not empty"],
      [client.files.create("picture.png" as never), "write { path } for a file of this machine"],
      [
        client.images.create({ ...VIDEO, image_urls: ["https://a", NO_PICTURE] }),
        "image_urls[1]: It takes a URL, a Blob, bytes, a stream, { path }, a file or an output.",
      ],
    ];
    for (const [call, message] of cases) {
      await expect(call).rejects.toBeInstanceOf(ArgumentError);
      await expect(call).rejects.toThrow(message);
    }
    expect(requests).toHaveLength(0);
  });

  it("takes a URL object for a picture", async () => {
    const { client, requests } = fakeService([ok({})]);
    const url = new URL("https://a.example.com/cat.png");
    const references = [{ url, role: "style" }] as const;
    await client.videos.create({ ...VIDEO, image_url: url, reference_images: [...references] });
    expect(await requests[0]?.json()).toMatchObject({
      image_url: url.href,
      reference_images: [{ url: url.href }],
    });
  });
});

it("a key with a character that no key has is refused, and not shown", () => {
  const options = { apiKey: "mgs_test_…", baseUrl: "https://media.example.com/v1" };
  const refused =
    "The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.";
  expect(() => createClient(options)).toThrow(new ArgumentError(refused));
});
