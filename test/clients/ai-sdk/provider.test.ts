/** The AI SDK's functions on the provider, with the whole service behind it. */
import {
  APICallError,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  generateImage,
} from "ai";
import {
  createMediaGeneration,
  WaitStoppedError,
  type MediaGenerationSettings,
} from "../../../clients/ai-sdk/index.ts";
import { clientOf, newCustomer } from "../../support/customer.ts";
import { forTests } from "../../support/for-tests.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import { sharedService } from "../../support/shared-service.ts";

type Provider = ReturnType<typeof createMediaGeneration>;
type Call = { prompt: string } & Pick<
  Parameters<typeof generateVideo>[0],
  "n" | "headers" | "abortSignal" | "providerOptions"
>;

const VIDEO = "alpha-2.0-fast";
const IMAGE = "gamma-image-3.0-pro";
const poll = { intervalMs: 100 };

/** What both functions do alike; `tokens` is the price of one, `many` more than a create makes. */
const KINDS = {
  image: {
    make: (provider: Provider, call: Call) =>
      generateImage({ model: provider.image(IMAGE), ...call }),
    tokens: 42,
    many: 5,
  },
  video: {
    make: (provider: Provider, call: Call) =>
      generateVideo({ model: provider.video(VIDEO), poll, ...call }),
    tokens: 169,
    many: 2,
  },
};

type Listed = { id: string; url: string; credits: number };
const listed = (metadata: object | undefined): Listed[] =>
  Object.values((metadata as { mediaGeneration: object }).mediaGeneration)[0] as Listed[];

const simulating = (simulate: string) => ({ mediaGeneration: { metadata: { simulate } } });
const textOf = (pattern: RegExp) => expect.stringMatching(pattern) as string;
const caught = (call: Promise<unknown>) => call.catch((cause: unknown) => cause);

const service = forTests(sharedService);
const customer = forTests(() => newCustomer(service));
const providerWith = async (settings: MediaGenerationSettings = {}) =>
  createMediaGeneration({ apiKey: await customer.key("live"), baseURL: service.url, ...settings });
/** Of a service that answers so. */
const answeredBy = (
  fetch: NonNullable<MediaGenerationSettings["fetch"]>,
  settings: MediaGenerationSettings = {},
) => createMediaGeneration({ apiKey: "k", baseURL: "https://a.example.com", fetch, ...settings });
const media = forTests(() => providerWith());
/** The customer's client of the API. */
const native = forTests(async () => clientOf(service.url, await customer.key("live")));

/** The Tokens that something costs. */
async function spent(use: () => Promise<unknown>): Promise<number> {
  const before = await native.balance.retrieve();
  await use();
  return before.available - (await native.balance.retrieve()).available;
}

/** A provider that notes its requests. */
async function countingProvider(settings: MediaGenerationSettings = {}) {
  const requests: string[] = [];
  const onRequest: MediaGenerationSettings["onRequest"] = ({ method, url }) =>
    void requests.push(`${method} ${url}`);
  const provider = await providerWith({ onRequest, ...settings });
  return { provider, created: () => requests.filter((each) => each.startsWith("POST ")) };
}

describe.each(["image", "video"] as const)("the function that makes the %s", (kind) => {
  const { make, tokens, many } = KINDS[kind];
  const path = `/${kind}s/generations`;
  const id = `${kind[0]}gen_1`;

  it("is charged once where the answer to its create is lost", async () => {
    let isLost = false;
    const losing = await providerWith({
      timing: { sleep: async () => {} },
      fetch: async (request, init) => {
        const response = await fetch(request, init);
        if (isLost || !request.url.endsWith(path)) return response;
        isLost = true;
        throw new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
      },
    });
    expect(await spent(() => make(losing, { prompt: "a kite" }))).toBe(tokens);
    expect(isLost).toBe(true);
  });

  it("makes n by one key, which are the same when the call is repeated", async () => {
    const headers = { "Idempotency-Key": `order-${kind}` };
    const made: Listed[][] = [];
    const charged = await spent(async () => {
      for (let i = 0; i < 2; i++) {
        const { providerMetadata } = await make(media, { prompt: "kites", n: many, headers });
        made.push(listed(providerMetadata));
      }
    });
    expect(new Set(made[0]?.map(({ url }) => url)).size).toBe(many);
    expect(made[1]).toEqual(made[0]);
    expect(charged).toBe(many * tokens);
    const credits = made[0]?.map((each) => each.credits) ?? [];
    expect(credits.reduce((sum, one) => sum + one, 0)).toBe(charged);
  });

  it("throws what the service says of one that failed, which the AI SDK does not repeat", async () => {
    const apiKey = await customer.key("test");
    const { provider, created } = await countingProvider({ apiKey });
    const providerOptions = simulating("fail:content_rejected");
    const error = await caught(make(provider, { prompt: "a boat", providerOptions }));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message: textOf(/^[iv]gen_\w+ failed: /),
      url: textOf(new RegExp(`/v1${path}/${kind[0]}gen_\\w+$`)),
      responseBody: textOf(/"failed"/),
      isRetryable: false,
      statusCode: 400,
      data: {
        type: "generation_error",
        code: "content_rejected",
        docUrl: textOf(/^http[^/]+[/][/][^/]+[/]docs[/]errors#content_rejected$/),
        requestId: textOf(/^req_/),
        details: { generation_id: textOf(/^[iv]gen_/) },
      },
    });
    expect(created()).toHaveLength(1);
  });

  it("throws the reason, as it is, of a call that is aborted before a create is answered", async () => {
    const abortSignal = AbortSignal.abort();
    const error = await caught(make(media, { prompt: "kites", n: many, abortSignal }));
    expect(error).toBe(abortSignal.reason);
  });

  it("has the id of what is paid for in the error of an aborted call", async () => {
    const stop = new AbortController();
    const stopping = await providerWith({
      apiKey: await customer.key("test"),
      fetch: (request, init) => {
        if (request.method === "GET") stop.abort();
        return fetch(request, init);
      },
    });
    const call = { prompt: "a boat", providerOptions: simulating("slow:60") };
    const aborted = make(stopping, { ...call, abortSignal: stop.signal });
    const error = (await caught(aborted)) as WaitStoppedError;
    expect(error).toBeInstanceOf(WaitStoppedError);
    expect(error.name).toBe("AbortError");
    expect(error.generationId).toMatch(/^[vi]gen_/);
    expect(error.message).toContain(`/generations/${error.generationId}`);
  });

  it("puts up with an outage of about a minute, and then says which generation goes on", async () => {
    const withOutage = async (settings: MediaGenerationSettings) => {
      let sleptMs = 0;
      const timing = { sleep: async (ms: number) => void (sleptMs += ms), nowMs: () => sleptMs };
      const provider = answeredBy(
        async ({ method }) => {
          if (method === "POST") return Response.json({ id, status: "pending", output: [] });
          await new Promise(setImmediate);
          throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
        },
        { timing, ...settings },
      );
      return { error: await caught(make(provider, { prompt: "a boat" })), sleptMs };
    };
    expect(await withOutage({})).toMatchObject({
      sleptMs: expect.closeTo(60_000, -4.7) as number,
      error: {
        message: `The service at https://a.example.com cannot be reached: ECONNREFUSED. ${id} was created, and goes on.`,
        data: { details: { generation_id: id } },
        requestBodyValues: kind === "image" ? { prompt: "a boat" } : undefined,
      },
    });
    expect(await withOutage({ maxAttempts: 1 })).toMatchObject({ sleptMs: 0 });
  });
});

describe("generateImage", () => {
  const SUCCESS = { id: "igen_1", status: "success", progress: 100, created_at: 0 };

  it("edits pictures that are bytes, and gives the bytes of the image, of the size that its shape asks for", async () => {
    const { image, warnings, providerMetadata } = await generateImage({
      model: media.imageModel(IMAGE),
      prompt: { text: "in blue", images: [new Uint8Array(makeImage("jpeg"))] },
      aspectRatio: "1:1",
    });
    expect(warnings).toEqual([]);
    const [output] = listed(providerMetadata);
    const made = await native.images.retrieve(output?.id ?? "");
    expect(output).toMatchObject({ url: made.output[0]?.url, credits: made.credits });
    expect(image.mediaType).toBe(made.output[0]?.content_type);
    expect(image.uint8Array).toHaveLength(made.output[0]?.bytes ?? 0);
    expect(made.input.size).toMatch(/^(\d+)x\1$/);
    expect(made.input.image_urls).toEqual([expect.stringContaining("/assets/")]);
  });

  it("gives each image of a generation its share of the price, the first what is left over", async () => {
    const files = [1, 2, 3].map((n) => ({ url: `https://files.example.com/${n}.png` }));
    const made = { ...SUCCESS, credits: 200, output: files };
    const provider = answeredBy(async ({ url }) =>
      files.some((file) => file.url === url) ? new Response("film") : Response.json(made),
    );
    const call = { model: provider.image(IMAGE), prompt: "a boat" };
    const { providerMetadata } = await generateImage(call);
    expect(listed(providerMetadata).map(({ credits }) => credits)).toEqual([68, 66, 66]);
  });

  it("reads a file again that breaks off, and says at last which generation it is of", async () => {
    const output = { url: "https://files.example.com/1.png", content_type: "image/png", bytes: 4 };
    const made = { ...SUCCESS, output: [output] };
    const callWith = async (broken: number) => {
      let left = broken;
      const provider = answeredBy(async ({ url }) => {
        if (url !== output.url) return Response.json(made);
        if (left-- <= 0) return new Response("film");
        const pull = (body: ReadableStreamDefaultController) =>
          body.error(new TypeError("terminated"));
        return new Response(new ReadableStream({ pull }));
      });
      return generateImage({ model: provider.image(IMAGE), prompt: "a boat" });
    };
    expect(Buffer.from((await callWith(1)).image.uint8Array).toString()).toBe("film");
    const error = await caught(callWith(Infinity));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message: "The file broke off: terminated. igen_1 was created, and has succeeded.",
      url: output.url,
      isRetryable: false,
      data: { details: { generation_id: "igen_1" } },
    });
  });
});

describe("generateVideo", () => {
  it("makes a video of the first frame and the last, with what the request has, and gives its bytes", async () => {
    const picture = new Uint8Array(makeImage("png"));
    const { video, warnings, providerMetadata, responses } = await generateVideo({
      model: media.video(VIDEO),
      prompt: { text: "it sails on", image: picture },
      frameImages: [{ image: Buffer.from(picture).toString("base64"), frameType: "last_frame" }],
      duration: 5,
      aspectRatio: "9:16",
      providerOptions: { mediaGeneration: { metadata: { order: "7" } } },
    });
    expect(Buffer.from(video.uint8Array).toString("latin1", 4, 8)).toBe("ftyp");
    expect(video.mediaType).toBe("video/mp4");
    expect(warnings).toEqual([]);
    const [output] = listed(providerMetadata);
    const made = await native.videos.retrieve(output?.id ?? "");
    expect(output).toMatchObject({ url: made.output[0]?.url, credits: KINDS.video.tokens });
    expect(made.input).toMatchObject({
      duration: 5,
      aspect_ratio: "9:16",
      metadata: { order: "7" },
      image_url: expect.stringContaining("/assets/") as string,
      last_image_url: expect.stringContaining("/assets/") as string,
    });
    expect(responses[0]).toMatchObject({ modelId: VIDEO, timestamp: new Date(made.created_at) });
  });

  it("takes the frame of a resolution, and warns of what it leaves out", async () => {
    const { warnings, providerMetadata } = await generateVideo({
      model: media.video("beta-3.0-video"),
      prompt: "a boat",
      resolution: "720x1280",
      fps: 60,
      seed: 7,
      duration: 2,
      generateAudio: false,
      providerOptions: { mediaGeneration: { duration: 3, prompt: "a ship" } },
      poll,
    });
    const given = "is given too, and decides.";
    const type = "unsupported";
    expect(warnings).toEqual([
      { type, feature: "prompt", details: `providerOptions.mediaGeneration.prompt ${given}` },
      { type, feature: "duration", details: `providerOptions.mediaGeneration.duration ${given}` },
      { type, feature: "fps", details: "The model decides." },
      { type, feature: "generateAudio", details: "The model does not take it." },
    ]);
    const { input } = await native.videos.retrieve(listed(providerMetadata)[0]?.id ?? "");
    expect(input).toMatchObject({ aspect_ratio: "9:16", seed: 7, duration: 3, prompt: "a ship" });
  });

  it("warns of a frame of another shape, and refuses one that the model does not make, and an operation that is none of its own", async () => {
    const start = { model: media.video(VIDEO), prompt: "a boat" };
    const { warnings } = await startVideo({ ...start, aspectRatio: "1:1", resolution: "1280x720" });
    expect(warnings).toMatchObject([{ feature: "resolution" }]);
    for (const resolution of ["3840x2160", "1280x721", "720x200"] as const)
      await expect(startVideo({ ...start, resolution })).rejects.toThrow(
        `makes no resolution ${resolution}. It makes 720P in 16:9, `,
      );
    for (const operation of [null, "vgen_1", { ids: [] }, { taskId: "task_7" }])
      await expect(getVideoStatus(media.video(VIDEO), { operation })).rejects.toThrow(
        "It is no operation that experimental_startVideo gave for this provider.",
      );
  });

  it("refuses what shapes the price or the picture, without a charge and without a retry", async () => {
    const { provider, created } = await countingProvider();
    const picture = new Uint8Array(makeImage("png"));
    const tokens = await spent(async () => {
      const prompt = { text: "a boat", image: picture };
      const refused = generateVideo({ model: provider.video(VIDEO), prompt, duration: 7, poll });
      const error = await caught(refused);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        url: `${service.url}/v1/videos/generations`,
        // The error has the size of a picture, not its bytes.
        requestBodyValues: { image_url: `${picture.length} bytes` },
        responseBody: textOf(/unsupported_duration/),
        statusCode: 400,
        isRetryable: false,
        data: {
          param: "duration",
          requestId: textOf(/^req_/),
          docUrl: textOf(/\/docs\/errors#unsupported_duration$/),
        },
      });
    });
    expect(created()).toEqual([
      `POST ${service.url}/v1/files`,
      `POST ${service.url}/v1/videos/generations`,
    ]);
    expect(tokens).toBe(0);
  });

  it("warns of a video of a call that did not succeed, and throws where none did", async () => {
    const one = await native.videos.create({ model: VIDEO, prompt: "a boat" });
    const testKey = await customer.key("test");
    const tests = clientOf(service.url, testKey);
    const slow = { simulate: "slow:60" };
    const other = await tests.videos.create({ model: VIDEO, prompt: "b", metadata: slow });
    await tests.videos.cancel(other.id);
    const liveAndTest = await providerWith({
      fetch: async (request, init) => {
        const isOther = request.url.endsWith(other.id);
        if (isOther) request.headers.set("authorization", `Bearer ${testKey}`);
        return fetch(request, init);
      },
    });
    const statusOf = (...ids: string[]) =>
      getVideoStatus(liveAndTest.video(VIDEO), { operation: { ids, isAwaited: false } });
    await expect(statusOf(other.id)).rejects.toMatchObject({ data: { code: "canceled" } });
    await native.videos.wait(one.id);
    expect(await statusOf(one.id, other.id)).toMatchObject({
      status: "completed",
      warnings: [{ type: "other", message: `${other.id} canceled: nothing is charged.` }],
    });
  });

  it.each([1, 2])("waits for the service's webhook instead of polling: of %i videos", async (n) => {
    await using receiver = await startReceiver();
    const { provider, created } = await countingProvider();
    const { videos } = await generateVideo({
      model: provider.video(VIDEO),
      prompt: "a boat",
      n,
      webhook: async () => {
        const received = receiver.has(1).then(() => ({ headers: {}, body: null }));
        return { url: receiver.url, received };
      },
    });
    expect(videos).toHaveLength(n);
    expect(created()).toHaveLength(n);
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
