/** The AI SDK's functions for videos on the provider, with the whole service behind it. */
import {
  APICallError,
  experimental_generateVideo as generateVideo,
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  generateImage,
} from "ai";
import { beforeAll, describe, expect, it } from "vitest";
import { WaitStoppedError } from "../../../clients/ai-sdk/index.ts";
import { clientOf } from "../../support/customer.ts";
import { makeImage } from "../../support/make-media.ts";
import { startReceiver } from "../../support/receiver.ts";
import {
  listed,
  losingFirst,
  newProvider,
  poll,
  VIDEO,
  VIDEO_TOKENS,
  type Provided,
} from "./provider-fixture.ts";

let { customer, media, native, providerWith, service, spent } = {} as Provided;
beforeAll(
  async () =>
    void ({ customer, media, native, providerWith, service, spent } = await newProvider()),
);

describe("generateVideo", () => {
  it("makes a video with what the request has, and gives its bytes and its generation", async () => {
    const { video, warnings, providerMetadata, responses } = await generateVideo({
      model: media.video(VIDEO),
      prompt: "a paper boat",
      duration: 5,
      aspectRatio: "9:16",
      providerOptions: { mediaGeneration: { metadata: { order: "7" } } },
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
    });
    const { input } = await native.videos.retrieve(listed(providerMetadata)[0]?.id ?? "");
    expect(input.image_url).toContain("/assets/");
    expect(input.last_image_url).toContain("/assets/");
  });

  it("is charged once where the answer to its start is lost", async () => {
    const losing = await providerWith(losingFirst("/videos/generations"));
    const tokens = await spent(() =>
      generateVideo({ model: losing.video(VIDEO), prompt: "a kite", poll }),
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
      const refused = generateVideo({ model, prompt: "a boat", duration: 7, poll });
      const error = await refused.catch((cause: unknown) => cause);
      expect(APICallError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({
        url: `${service.url}/v1/videos/generations`,
        responseBody: expect.stringContaining("unsupported_duration") as string,
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
    });
    const error = await failed.catch((cause: unknown) => cause);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^vgen_\w+ failed: /) as string,
      url: expect.stringMatching(/\/v1\/videos\/generations\/vgen_\w+$/) as string,
      responseBody: expect.stringContaining('"failed"') as string,
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
    const liveAndTest = await providerWith({
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
    });
    expect(videos).toHaveLength(n);
    expect(requests.filter((each) => each.startsWith("POST"))).toHaveLength(n);
    expect(receiver.received[0]?.headers["webhook-signature"]).toMatch(/^v1,/);
  });

  it.each(["video", "image"] as const)(
    "has the id of what is paid for in the error of an aborted call: of a %s",
    async (kind) => {
      const stop = new AbortController();
      const stopping = await providerWith({
        apiKey: await customer.key("test"),
        fetch: (request, init) => {
          if (request.method === "GET") stop.abort();
          return fetch(request, init);
        },
      });
      const call = {
        prompt: "a boat",
        providerOptions: { mediaGeneration: { metadata: { simulate: "slow:60" } } },
        abortSignal: stop.signal,
      };
      const aborted =
        kind === "video"
          ? generateVideo({ ...call, model: stopping.video("beta-3.0-video") })
          : generateImage({ ...call, model: stopping.image("gamma-image-3.0-pro") });
      const error = (await aborted.catch((cause: unknown) => cause)) as WaitStoppedError;
      expect(error).toBeInstanceOf(WaitStoppedError);
      expect(error.name).toBe("AbortError");
      expect(error.generationId).toMatch(/^[vi]gen_/);
      expect(error.message).toContain(`/generations/${error.generationId}`);
    },
  );

  it("is started in one process and read in another, by an operation in JSON", async () => {
    const { operation } = await startVideo({ model: media.video(VIDEO), prompt: "a boat", n: 2 });
    const stored = JSON.parse(JSON.stringify(operation)) as typeof operation;
    const model = (await providerWith()).video(VIDEO);
    const read = () => getVideoStatus(model, { operation: stored });
    await expect.poll(async () => (await read()).status).toBe("completed");
    expect(await read()).toMatchObject({ videos: [{}, {}] });
  });
});
