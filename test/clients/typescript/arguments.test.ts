/** Wrong arguments are refused before anything is sent, by an error that says what is allowed. */
import { describe, expect, it } from "vitest";
import {
  ArgumentError,
  createClient,
  type Client,
  type ClientOptions,
} from "../../../clients/typescript/index.ts";
import { fakeService, ok } from "./fake-service.ts";

/** The client's function as JavaScript sees it: it takes anything. */
function untyped(client: Client, name: string): (...given: unknown[]) => unknown {
  const [kind = "", own] = name.split(".");
  const found = (client as unknown as Record<string, unknown>)[kind];
  const call = own === undefined ? found : (found as Record<string, unknown>)[own];
  return call as (...given: unknown[]) => unknown;
}

const VIDEO = { model: "alpha-2.0", prompt: "a cat" };
const KEY = "mgs_test_example";
const URL_OF_SERVICE = "https://media.example.com/v1";

describe("a call", () => {
  const wrong: [string, unknown[], string][] = [
    [
      "videos.create",
      [],
      "The request of videos.create must be an object such as { model, prompt }; it is undefined.",
    ],
    [
      "images.create",
      [{ ...VIDEO, seed: 10n }],
      "The field seed of images.create must be what JSON can have; it is the bigint 10n: write Number(10n).",
    ],
    [
      "videos.retrieve",
      [],
      "The id of videos.retrieve must be a text that is not empty; it is undefined.",
    ],
    ["files.create", ["picture.png"], "write { path } for a file of this machine"],
    [
      "images.create",
      [{ ...VIDEO, image_urls: ["https://a", { file: "a" }] }],
      "image_urls[1]: It takes a URL, a Blob, bytes, a stream, { path }, a file or an output. It is an object.",
    ],
  ];
  it.each(wrong)("%s(…%o) is refused, and sends nothing", async (name, given, message) => {
    const { client, requests } = fakeService([ok({})]);
    const refused = (async () => untyped(client, name)(...given))();
    await expect(refused).rejects.toBeInstanceOf(ArgumentError);
    await expect(refused).rejects.toThrow(message);
    expect(requests).toHaveLength(0);
  });

  it("rejects, so that its error reaches catch, and a list throws", async () => {
    const { client } = fakeService([ok({})]);
    const retrieve = untyped(client, "videos.retrieve") as () => Promise<unknown>;
    const error = await retrieve().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArgumentError);
    const list = untyped(client, "videos.list");
    expect(() => list("all")).toThrow("The filter of videos.list must be an object");
    expect(() => client.videos.watch("")).toThrow("The id of videos.watch");
  });

  it("takes a URL object for a picture", async () => {
    const { client, requests } = fakeService([ok({})]);
    const url = new URL("https://a.example.com/cat.png");
    await client.videos.create({
      ...VIDEO,
      image_url: url,
      reference_images: [{ url, role: "style" }],
    });
    expect(await requests[0]?.json()).toMatchObject({
      image_url: url.href,
      reference_images: [{ url: url.href }],
    });
  });
});

describe("an option of a call", () => {
  const wrong: [object, string][] = [
    [
      { idempotency_key: "a" },
      "videos.create has no option idempotency_key. Did you mean idempotencyKey?",
    ],
    [
      { maxAttempts: 0 },
      "The option maxAttempts of videos.create must be a whole number of at least 1; it is 0.",
    ],
    [
      { idempotencyKey: "" },
      "The option idempotencyKey of videos.create must be a text that is not empty",
    ],
    [{ headers: { "x-team": "films…" } }, "x-team has a character that no header can have."],
  ];
  it.each(wrong)("%j is refused, and sends nothing", async (options, message) => {
    const { client, requests } = fakeService([ok({})]);
    await expect(client.videos.create(VIDEO, options)).rejects.toThrow(message);
    expect(requests).toHaveLength(0);
  });
});

describe("an option of the client", () => {
  const wrong: [object, string][] = [
    [{ apikey: KEY }, "createClient has no option apikey. Did you mean apiKey?"],
    [{ apiKey: "" }, "The option apiKey of createClient must be a text that is not empty"],
    [{ apiKey: "mgs_test_…" }, "The API key has a character that no key has. Copy it again."],
  ];
  it.each(wrong)("%j is refused", (given, message) => {
    const options = { apiKey: KEY, baseUrl: URL_OF_SERVICE, ...given } as ClientOptions;
    expect(() => createClient(options)).toThrow(ArgumentError);
    expect(() => createClient(options)).toThrow(message);
  });
});
