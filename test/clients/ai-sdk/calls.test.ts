/** The AI SDK's functions on the provider, with the whole service behind it. */
import {
  APICallError,
  createProviderRegistry,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  generateImage,
} from "ai";
import { beforeAll, describe, expect, it } from "vitest";
import {
  createMediaGeneration,
  type MediaGenerationProvider,
  type MediaGenerationSettings,
} from "../../../clients/ai-sdk/index.ts";
import type { Client } from "../../../clients/typescript/index.ts";
import { clientOf, newCustomer, type Customer } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { sharedService, type SharedService } from "../../support/shared-service.ts";

const VIDEO = "alpha-2.0-fast";
const VIDEO_TOKENS = 169;
const IMAGE = "gamma-image-3.0-pro";
const poll = { intervalMs: 100 };
/** The AI SDK's own refuses addresses of this machine. */
const download = async ({ url }: { url: URL }) => {
  const response = await fetch(url);
  return { data: new Uint8Array(await response.arrayBuffer()), mediaType: undefined };
};

let service: SharedService;
let customer: Customer;
let media: MediaGenerationProvider;
let native: Client;

const providerWith = async (settings: MediaGenerationSettings = {}) =>
  createMediaGeneration({ apiKey: await customer.key("live"), baseURL: service.url, ...settings });

beforeAll(async () => {
  service = await sharedService();
  customer = await newCustomer(service);
  media = await providerWith();
  native = clientOf(service.url, await customer.key("live"));
});

const spent = async (use: () => Promise<unknown>): Promise<number> => {
  const before = await native.balance.retrieve();
  await use();
  return before.available - (await native.balance.retrieve()).available;
};

/** Loses the answer to the first request of that path after the service has handled it. */
const losingFirst = (path: string): MediaGenerationSettings => {
  let isLost = false;
  return {
    timing: { sleep: async () => {} },
    fetch: async (request, init) => {
      const response = await fetch(request, init);
      if (isLost || !request.url.endsWith(path)) return response;
      isLost = true;
      throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
    },
  };
};

type Listed = { id: string; url: string; generation_id?: string };
const listed = (metadata: object | undefined): Listed[] =>
  Object.values((metadata as { mediaGeneration: object }).mediaGeneration)[0] as Listed[];

describe("generateVideo", () => {
  it("makes a video with what the request has, and gives its bytes and its generation", async () => {
    const { video, warnings, providerMetadata, responses } = await generateVideo({
      model: media.video(VIDEO),
      prompt: "a paper boat",
      duration: 5,
      aspectRatio: "9:16",
      providerOptions: { mediaGeneration: { metadata: { order: "7" } } },
      poll,
      download,
    });
    expect(Buffer.from(video.uint8Array).toString("latin1", 4, 8)).toBe("ftyp");
    expect(video.mediaType).toBe("video/mp4");
    expect(warnings).toEqual([]);
    const [output] = listed(providerMetadata);
    const made = await native.videos.retrieve(output?.id ?? "");
    expect(output).toMatchObject({ url: made.output[0]?.url, credits: VIDEO_TOKENS });
    expect(made.input).toMatchObject({
      duration: 5,
      aspect_ratio: "9:16",
      metadata: { order: "7" },
    });
    expect(responses[0]).toMatchObject({ modelId: VIDEO, timestamp: new Date(made.created_at) });
  });

  it("sends pictures first: the first frame, and the last", async () => {
    const picture = new Uint8Array(makeImage("png"));
    const { providerMetadata } = await generateVideo({
      model: media.video(VIDEO),
      prompt: { text: "it sails on", image: picture },
      frameImages: [{ image: Buffer.from(picture).toString("base64"), frameType: "last_frame" }],
      poll,
      download,
    });
    const { input } = await native.videos.retrieve(listed(providerMetadata)[0]?.id ?? "");
    expect(input.image_url).toContain("/assets/");
    expect(input.last_image_url).toContain("/assets/");
  });

  it("is charged once where the answer to its start is lost", async () => {
    const losing = await providerWith(losingFirst("/videos/generations"));
    const tokens = await spent(() =>
      generateVideo({ model: losing.video(VIDEO), prompt: "a kite", poll, download }),
    );
    expect(tokens).toBe(VIDEO_TOKENS);
  });

  it("makes n videos by one key, which are the same when the call is repeated", async () => {
    const call = () =>
      generateVideo({
        model: media.video(VIDEO),
        prompt: "two kites",
        n: 2,
        headers: { "Idempotency-Key": "order-1" },
        poll,
        download,
      });
    const ids: string[][] = [];
    const tokens = await spent(async () => {
      for (let i = 0; i < 2; i++)
        ids.push(listed((await call()).providerMetadata).map(({ id }) => id));
    });
    expect(new Set(ids[0]).size).toBe(2);
    expect(ids[1]).toEqual(ids[0]);
    expect(tokens).toBe(2 * VIDEO_TOKENS);
  });

  it("takes the frame of a resolution, and warns of what it leaves out", async () => {
    const { warnings, providerMetadata } = await generateVideo({
      model: media.video("beta-3.0-video"),
      prompt: "a boat",
      resolution: "720x1280",
      fps: 60,
      seed: 7,
      generateAudio: false,
      poll,
      download,
    });
    expect(warnings).toEqual([
      { type: "unsupported", feature: "fps", details: expect.any(String) as string },
      { type: "unsupported", feature: "generateAudio", details: expect.any(String) as string },
    ]);
    const { input } = await native.videos.retrieve(listed(providerMetadata)[0]?.id ?? "");
    expect(input).toMatchObject({ aspect_ratio: "9:16", seed: 7 });
  });

  it("refuses a frame that the model does not make, and an operation that is none of its own", async () => {
    const start = { model: media.video(VIDEO), prompt: "a boat" };
    for (const resolution of ["3840x2160", "1280x721", "720x200"] as const)
      await expect(startVideo({ ...start, resolution })).rejects.toThrow(
        `The model makes no resolution ${resolution}. It makes 720P in 16:9, `,
      );
    for (const operation of [null, "vgen_1", { ids: [] }, { taskId: "task_7" }])
      await expect(getVideoStatus(media.video(VIDEO), { operation })).rejects.toThrow(
        "It is no operation that experimental_startVideo gave for this provider.",
      );
  });

  it("says of a refused picture its size, not its bytes", async () => {
    const picture = new Uint8Array(makeImage("png"));
    const prompt = { text: "a boat", image: picture };
    const refused = startVideo({ model: media.video(VIDEO), prompt, duration: 7 });
    const error = (await refused.catch((cause: unknown) => cause)) as APICallError;
    expect(error.requestBodyValues).toMatchObject({ image_url: `${picture.length} bytes` });
  });

  it("refuses what shapes the price or the picture, without a charge and without a retry", async () => {
    const requests: string[] = [];
    const counting = await providerWith({ onRequest: ({ url }) => void requests.push(url) });
    const tokens = await spent(async () => {
      const model = counting.video(VIDEO);
      const refused = generateVideo({ model, prompt: "a boat", duration: 7, poll, download });
      const error = await refused.catch((cause: unknown) => cause);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        statusCode: 400,
        isRetryable: false,
        data: { param: "duration", requestId: expect.stringMatching(/^req_/) as string },
      });
    });
    expect(requests).toHaveLength(1);
    expect(tokens).toBe(0);
  });

  it("throws what the service says of a video that failed, and keeps the others of the call", async () => {
    const testMedia = await providerWith({ apiKey: await customer.key("test") });
    const failed = generateVideo({
      model: testMedia.video(VIDEO),
      prompt: "a boat",
      providerOptions: { mediaGeneration: { metadata: { simulate: "fail:content_rejected" } } },
      poll,
      download,
    });
    const error = await failed.catch((cause: unknown) => cause);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^vgen_\w+ failed: /) as string,
      isRetryable: false,
      statusCode: 400,
      data: {
        type: "generation_error",
        code: "content_rejected",
        requestId: expect.stringMatching(/^req_/) as string,
        details: { generation_id: expect.stringMatching(/^vgen_/) as string },
      },
    });
    const one = await native.videos.create({ model: VIDEO, prompt: "a boat" });
    const tests = clientOf(service.url, await customer.key("test"));
    const slow = { simulate: "slow:60" };
    const other = await tests.videos.create({ model: VIDEO, prompt: "b", metadata: slow });
    await tests.videos.cancel(other.id);
    const canceled = getVideoStatus(testMedia.video(VIDEO), {
      operation: { ids: [other.id], isAwaited: false },
    });
    await expect(canceled).rejects.toMatchObject({ data: { code: "canceled" } });
    await native.videos.wait(one.id);
    const liveAndTest = createMediaGeneration({
      apiKey: await customer.key("live"),
      baseURL: service.url,
      fetch: async (request, init) => {
        const isOther = request.url.endsWith(other.id);
        if (isOther) request.headers.set("authorization", `Bearer ${await customer.key("test")}`);
        return fetch(request, init);
      },
    });
    const operation = { ids: [one.id, other.id], isAwaited: false };
    const status = await getVideoStatus(liveAndTest.video(VIDEO), { operation });
    expect(status).toMatchObject({
      status: "completed",
      warnings: [{ type: "other", message: `${other.id} canceled: nothing is charged.` }],
    });
  });

  it.each([1, 2])("waits for the service's webhook instead of polling: of %i videos", async (n) => {
    await using receiver = await startReceiver();
    const requests: string[] = [];
    const counting = await providerWith({
      onRequest: ({ method, url }) => void requests.push(`${method} ${url}`),
    });
    const { videos } = await generateVideo({
      model: counting.video(VIDEO),
      prompt: "a boat",
      n,
      webhook: async () => {
        const received = receiver.has(1).then(() => ({ headers: {}, body: null }));
        return { url: receiver.url, received };
      },
      download,
    });
    expect(videos).toHaveLength(n);
    expect(requests.filter((each) => each.startsWith("POST"))).toHaveLength(n);
    expect(receiver.received[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
  });

  it("is started in one process and read in another, by an operation in JSON", async () => {
    const { operation } = await startVideo({ model: media.video(VIDEO), prompt: "a boat", n: 2 });
    const stored = JSON.parse(JSON.stringify(operation)) as typeof operation;
    const model = (await providerWith()).video(VIDEO);
    const read = () => getVideoStatus(model, { operation: stored });
    await expect.poll(async () => (await read()).status).toBe("completed");
    expect(await read()).toMatchObject({ videos: [{}, {}] });
  });
});

describe("generateImage", () => {
  it("gives the bytes of the image, of the size that its shape asks for", async () => {
    const { image, warnings, providerMetadata } = await generateImage({
      model: media.image(IMAGE),
      prompt: "a lighthouse",
      aspectRatio: "1:1",
    });
    expect(warnings).toEqual([]);
    const [output] = listed(providerMetadata);
    const made = await native.images.retrieve(output?.id ?? "");
    expect(image.mediaType).toBe(made.output[0]?.content_type);
    expect(image.uint8Array).toHaveLength(made.output[0]?.bytes ?? 0);
    expect(made.input.size).toMatch(/^(\d+)x\1$/);
  });

  it("edits pictures that are bytes", async () => {
    const picture = new Uint8Array(makeImage("jpeg"));
    const { providerMetadata } = await generateImage({
      model: media.imageModel(IMAGE),
      prompt: { text: "in blue", images: [picture] },
    });
    const { input } = await native.images.retrieve(listed(providerMetadata)[0]?.id ?? "");
    expect(input.image_urls).toEqual([expect.stringContaining("/assets/")]);
  });

  it("is charged once where the answer is lost, and for each of n images once", async () => {
    const price = await spent(() => generateImage({ model: media.image(IMAGE), prompt: "one" }));
    expect(price).toBeGreaterThan(0);
    const losing = await providerWith(losingFirst("/images/generations"));
    const call = () =>
      generateImage({
        model: losing.image(IMAGE),
        prompt: "five lighthouses",
        n: 5,
        headers: { "idempotency-key": "order-2" },
      });
    const tokens = await spent(async () => {
      for (let i = 0; i < 2; i++) expect((await call()).images).toHaveLength(5);
    });
    expect(tokens).toBe(5 * price);
  });

  it("throws an error that the AI SDK does not repeat, where the image failed", async () => {
    const requests: string[] = [];
    const tests = await providerWith({
      apiKey: await customer.key("test"),
      onRequest: ({ method, url }) => void requests.push(`${method} ${url}`),
    });
    const failed = generateImage({
      model: tests.image(IMAGE),
      prompt: "a boat",
      providerOptions: { mediaGeneration: { metadata: { simulate: "fail:content_rejected" } } },
    });
    const error = await failed.catch((cause: unknown) => cause);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      isRetryable: false,
      statusCode: 400,
      message: expect.stringMatching(/^igen_\w+ failed: /) as string,
      data: {
        code: "content_rejected",
        details: { generation_id: expect.stringMatching(/^igen_/) as string },
      },
    });
    expect(requests.filter((request) => request.startsWith("POST "))).toHaveLength(1);
  });

  it("refuses a shape that no size has", async () => {
    const model = media.image(IMAGE);
    await expect(generateImage({ model, prompt: "a boat", aspectRatio: "7:1" })).rejects.toThrow(
      "The model makes no aspectRatio 7:1. It makes 1024x1024, ",
    );
  });
});

describe.each(["image", "video"] as const)("an outage while the %s is made", (kind) => {
  const IDS = { image: "igen_1", video: "vgen_1" };
  const broken = () =>
    new Promise<never>((_resolve, reject) => {
      setImmediate(() =>
        reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })),
      );
    });
  const withOutage = (settings: MediaGenerationSettings) => {
    let sleptMs = 0;
    const provider = createMediaGeneration({
      apiKey: "k",
      baseURL: "https://a.example.com",
      fetch: ({ method }) =>
        method === "POST"
          ? Promise.resolve(Response.json({ id: IDS[kind], status: "pending", output: [] }))
          : broken(),
      timing: {
        sleep: async (ms) => void (sleptMs += ms),
        nowMs: () => sleptMs,
      },
      ...settings,
    });
    const made =
      kind === "image"
        ? generateImage({ model: provider.image(IMAGE), prompt: "a boat" })
        : generateVideo({ model: provider.video(VIDEO), prompt: "a boat", poll });
    return made.catch((error: unknown) => ({ error, sleptMs }));
  };

  it("is put up with for about a minute, and the error says which generation goes on", async () => {
    expect(await withOutage({})).toMatchObject({
      sleptMs: expect.closeTo(60_000, -4.7) as number,
      error: {
        message: `The service at https://a.example.com cannot be reached: ECONNREFUSED. ${IDS[kind]} was created, and goes on.`,
        data: { details: { generation_id: IDS[kind] } },
      },
    });
    expect(await withOutage({ maxAttempts: 1 })).toMatchObject({ sleptMs: 0 });
  });
});

describe("the provider", () => {
  it("works in a registry, and has no models of other kinds", async () => {
    const registry = createProviderRegistry({ media });
    const model = registry.imageModel(`media:${IMAGE}`);
    expect((await generateImage({ model, prompt: "a boat" })).images).toHaveLength(1);
    expect(() => media.languageModel("gpt")).toThrow("No such languageModel: gpt");
  });

  it("names what is missing when it is used, not when it is made", async () => {
    const without = createMediaGeneration();
    const call = generateImage({ model: without.image(IMAGE), prompt: "a boat" });
    await expect(call).rejects.toThrow(
      "Give createMediaGeneration the option baseURL, or set MEDIA_BASE_URL in the environment.",
    );
    const misspelt = { baseUrl: "https://a.example.com" } as MediaGenerationSettings;
    expect(() => createMediaGeneration(misspelt)).toThrow(
      "createMediaGeneration has no option baseUrl. Did you mean baseURL?",
    );
  });
});
