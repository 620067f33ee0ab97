/** Wrong arguments are refused before anything is sent, by an error that says what is allowed. */
import { describe, expect, it } from "vitest";
import {
  ArgumentError,
  createClient,
  type Client,
  type ClientOptions,
} from "../../../clients/typescript/index.ts";
import { fakeService, ok } from "./fake-service.ts";

/** The client as JavaScript sees it: any function takes anything. */
type Untyped = Record<string, (...given: unknown[]) => unknown>;
const untyped = (client: Client) => client as unknown as Untyped;

const VIDEO = { model: "alpha-2.0", prompt: "a cat" };
const KEY = "mgs_test_example";
const URL_OF_SERVICE = "https://media.example.com/v1";

describe("a call", () => {
  const wrong: [string, unknown[], string][] = [
    [
      "createVideo",
      [],
      "The request of createVideo must be an object such as { model, prompt }; it is undefined.",
    ],
    ["createVideoAndWait", ["a cat"], "The request of createVideoAndWait must be an object"],
    ["createImage", [null], "it is null."],
    [
      "retrieveVideo",
      [],
      "The id of retrieveVideo must be a text that is not empty; it is undefined.",
    ],
    ["retrieveVideo", [""], "it is an empty text."],
    ["waitForImage", [{}], "it is an object."],
    ["redeliver", [7], "it is 7."],
    ["createFile", ["picture.png"], "write { path } for a file of this machine"],
    ["createFile", [], "A picture is a Blob, bytes, a stream or { path }. It is undefined."],
    [
      "download",
      [],
      "download needs an output with its URL, such as video.output[0] or { url }; it is undefined.",
    ],
    ["download", ["https://a.example.com"], "it is a text."],
    ["download", [{}], "its url is undefined."],
    [
      "retrieveUsage",
      ["2026-11-01"],
      "The filter of retrieveUsage must be an object; it is a text.",
    ],
    [
      "createImage",
      [{ ...VIDEO, image_urls: ["https://a", { file: "a" }] }],
      "image_urls[1]: It takes a URL, a Blob, bytes, a stream or { path }. It is an object.",
    ],
  ];
  it.each(wrong)("%s(…%j) is refused, and sends nothing", async (name, given, message) => {
    const { client, requests } = fakeService([ok({})]);
    const refused = (async () => untyped(client)[name]?.(...given))();
    await expect(refused).rejects.toBeInstanceOf(ArgumentError);
    await expect(refused).rejects.toThrow(message);
    expect(requests).toHaveLength(0);
  });

  it("rejects, so that its error reaches catch, and a list throws", async () => {
    const { client } = fakeService([ok({})]);
    const { retrieveVideo, listVideos, videos } = client as unknown as {
      retrieveVideo: () => Promise<unknown>;
      listVideos: (filter: unknown) => unknown;
      videos: { watch: (id: unknown) => unknown };
    };
    const error = await retrieveVideo().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(() => listVideos("all")).toThrow("The filter of listVideos must be an object");
    expect(() => videos.watch("")).toThrow("The id of watch");
  });

  it("takes a URL object for a picture", async () => {
    const { client, requests } = fakeService([ok({})]);
    const url = new URL("https://a.example.com/cat.png");
    await client.createVideo({
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
      "createVideo has no option idempotency_key. Did you mean idempotencyKey?",
    ],
    [{ timeout: 5 }, "Did you mean timeoutMs?"],
    [
      { foo: 1 },
      "createVideo has no option foo. Its options are signal, timeoutMs, maxAttempts, headers, idempotencyKey.",
    ],
    [{ onProgress: () => {} }, "createVideo has no option onProgress."],
    [
      { maxAttempts: 0 },
      "The option maxAttempts of createVideo must be a whole number of at least 1; it is 0.",
    ],
    [
      { timeoutMs: -1 },
      "The option timeoutMs of createVideo must be a number of milliseconds above 0",
    ],
    [{ timeoutMs: Infinity }, "it is Infinity."],
    [{ signal: new AbortController() }, "must be an AbortSignal; it is an AbortController."],
    [
      { idempotencyKey: "" },
      "The option idempotencyKey of createVideo must be a text that is not empty",
    ],
    [{ idempotencyKey: "order-8842…" }, "that a header can have; it is a text."],
    [{ headers: { "x-team": "films…" } }, "The option headers of createVideo must be an object"],
    [{ headers: new Headers({ "x-team": "films" }) }, "it is a Headers."],
  ];
  it.each(wrong)("%j is refused, and sends nothing", async (options, message) => {
    const { client, requests } = fakeService([ok({})]);
    await expect(client.createVideo(VIDEO, options)).rejects.toThrow(message);
    expect(requests).toHaveLength(0);
  });

  it("that is undefined is as if it were not given", async () => {
    const { client, requests } = fakeService([ok({})]);
    const options = { signal: undefined, foo: undefined } as object;
    await client.createVideo(VIDEO, options);
    expect(requests).toHaveLength(1);
  });
});

describe("an option of the client", () => {
  const wrong: [object, string][] = [
    [{ apikey: KEY }, "createClient has no option apikey. Did you mean apiKey?"],
    [{ baseURL: URL_OF_SERVICE }, "Did you mean baseUrl?"],
    [{ foo: 1 }, "createClient has no option foo. Its options are apiKey, baseUrl,"],
    [
      { maxAttempts: 0 },
      "The option maxAttempts of createClient must be a whole number of at least 1",
    ],
    [{ timeoutMs: -1 }, "The option timeoutMs of createClient must be"],
    [{ fetch: "fetch" }, "The option fetch of createClient must be a function; it is a text."],
    [{ apiKey: "" }, "The option apiKey of createClient must be a text that is not empty"],
    [{ apiKey: "mgs_test_…" }, "The API key has a character that no key has. Copy it again."],
    [{ apiKey: "mgs_test_a\nb" }, "The API key has a character that no key has."],
    [{ apiKey: KEY, baseUrl: "localhost" }, "baseUrl is not a URL"],
  ];
  it.each(wrong)("%j is refused", (given, message) => {
    const options = { apiKey: KEY, baseUrl: URL_OF_SERVICE, ...given } as ClientOptions;
    expect(() => createClient(options)).toThrow(ArgumentError);
    expect(() => createClient(options)).toThrow(message);
  });
});
