/** The whole service as OpenAI's own package for Node and the AI SDK see it: every method that they have for it. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateImage } from "ai";
import OpenAI, { toFile } from "openai";
import { clientOf, newCustomer } from "../../../support/customer.ts";
import { makeImage } from "../../../support/make-media.ts";
import { sharedService } from "../../../support/shared-service.ts";

const VIDEO = "alpha-2.0-fast";
const VIDEO_TOKENS = 169;
const IMAGE = "gamma-image-3.0-pro";

const service = await sharedService();
const customer = await newCustomer(service);
const apiKey = await customer.key("live");
const baseURL = `${service.url}/openai/v1`;
/** As it is when a request is sent, so that answers are checked. */
const fetchNow: typeof fetch = (...request) => globalThis.fetch(...request);
const openai = new OpenAI({ apiKey, baseURL, fetch: fetchNow });
const native = clientOf(service.url, apiKey);

const create = (more: object = {}) =>
  openai.videos.create({ model: VIDEO, prompt: "a paper boat", ...more } as never);

const ended = async (id: string) => {
  await native.videos.wait(id);
  return openai.videos.retrieve(id);
};

const picture = () => toFile(makeImage("png"), "first.png", { type: "image/png" });
const bytesOf = (images: OpenAI.ImagesResponse) =>
  (images.data ?? []).map(({ b64_json: text = "" }) => Buffer.from(text, "base64"));
const expectPng = (bytes: Uint8Array | undefined) =>
  expect(Buffer.from(bytes ?? []).toString("latin1", 1, 4)).toBe("PNG");

describe("a video by OpenAI's package", () => {
  it("is created, retrieved until it is completed, downloaded while it arrives, and deleted", async () => {
    const asked = { seconds: "5", size: "720x1280" };
    const { data: created, response } = await create(asked).withResponse();
    const nothing = { completed_at: null, expires_at: null, error: null };
    expect(created).toMatchObject({
      ...asked,
      ...nothing,
      object: "video",
      model: VIDEO,
      status: "queued",
      progress: 0,
      prompt: "a paper boat",
      remixed_from_video_id: null,
    });
    expect(response.headers.get("openai-poll-after-ms")).toMatch(/^\d+$/);
    expect(created.created_at).toBeCloseTo(Date.now() / 1_000, -2);
    const video = await ended(created.id);
    expect(video).toMatchObject({ status: "completed", progress: 100 });
    expect(video.size).toMatch(/^\d+x\d+$/);
    const content = await openai.videos.downloadContent(video.id);
    expect(content.headers.get("content-type")).toBe("video/mp4");
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.body as unknown as AsyncIterable<Uint8Array>) {
      chunks.push(chunk);
    }
    expect(Buffer.concat(chunks).toString("latin1", 4, 8)).toBe("ftyp");
    const thumbnail = await openai.videos.downloadContent(video.id, { variant: "thumbnail" });
    expect(thumbnail.headers.get("content-type")).toMatch(/^image\//);
    const { id } = video;
    const deleted = await openai.videos.delete(id);
    expect(deleted).toEqual({ id, object: "video.deleted", deleted: true });
    await expect(openai.videos.retrieve(id)).rejects.toMatchObject({ status: 410, code: "gone" });
  });

  it("takes its first frame as a file, as a data URL, as an address and as a file's id", async () => {
    const bytes = makeImage("png");
    const image_url = `data:image/png;base64,${bytes.toString("base64")}`;
    const { id, url } = await native.files.create(new Uint8Array(bytes));
    const byFile = await create({ input_reference: await picture() });
    const byObject = await create({ input_reference: { image_url } });
    const byAddress = await create({ input_reference: { image_url: url } });
    const byId = await create({ input_reference: { file_id: id } });
    const json = { model: VIDEO, prompt: "a boat", input_reference: { image_url } };
    const byJson = await openai.post<{ id: string }>("/videos", { body: json });
    for (const video of [byFile, byObject, byAddress, byId, byJson]) {
      expect(await native.videos.retrieve(video.id)).toMatchObject({
        input: { image_url: expect.stringContaining("/assets/") },
      });
      expect(await ended(video.id)).toMatchObject({ status: "completed" });
    }
  });

  it("is in a list that the package pages through, newest or oldest first", async () => {
    const made: string[] = [];
    for (const prompt of ["one", "two"]) made.push((await create({ prompt })).id);
    const ids = async (order: "asc" | "desc") => {
      const found: string[] = [];
      for await (const { id } of openai.videos.list({ limit: 1, order })) found.push(id);
      return found;
    };
    const newest = await ids("desc");
    expect(newest.slice(0, 2)).toEqual(made.toReversed());
    expect(await ids("asc")).toEqual(newest.toReversed());
  });

  it("that is repeated with one key is charged once", async () => {
    const before = await native.balance.retrieve();
    const keyed = new OpenAI({ apiKey, baseURL, fetch: cutOffFirst() });
    const video = await keyed.videos.create(
      { model: VIDEO as never, prompt: "a kite", input_reference: await picture() },
      { headers: { "Idempotency-Key": "kite-1" } },
    );
    await ended(video.id);
    expect(before.available - (await native.balance.retrieve()).available).toBe(VIDEO_TOKENS);
    // Another picture is another request, also where the key is new to the operation.
    const other = { image: await toFile(makeImage("png", 300, 300), "b.png"), prompt: "a kite" };
    const options = { headers: { "Idempotency-Key": "kite-1" } };
    expect((await openai.images.edit({ model: IMAGE, ...other }, options)).data).toHaveLength(1);
    const again = { model: VIDEO as never, prompt: "a kite", input_reference: other.image };
    await expect(openai.videos.create(again, options)).rejects.toMatchObject({ status: 422 });
  });
});

/** Breaks the connection after the service has answered the first request. */
function cutOffFirst(): typeof fetch {
  let isFirst = true;
  return async (...request) => {
    const response = await globalThis.fetch(...request);
    if (!isFirst) return response;
    isFirst = false;
    await response.body?.cancel();
    throw new TypeError("the connection broke");
  };
}

describe("an image by OpenAI's package", () => {
  it("is generated, as an address and as bytes", async () => {
    const image = { model: IMAGE, prompt: "a lighthouse" };
    const asked = { ...image, size: "1024x1024", n: 1, response_format: "url" } as const;
    const byUrl = await openai.images.generate(asked);
    expect(byUrl).toMatchObject({ size: "1024x1024", output_format: "png" });
    expectPng(await (await fetch(byUrl.data?.[0]?.url ?? "")).bytes());
    const inline = await openai.images.generate(image);
    expectPng(bytesOf(inline)[0]);
    expect(inline).toMatchObject({ created: expect.any(Number), output_format: "png" });
    const several = { ...image, n: 2, output_format: "webp", response_format: "b64_json" } as const;
    const both = await openai.images.generate(several);
    expect(both.output_format).toBe("webp");
    expect(bytesOf(both).map((bytes) => bytes.toString("latin1", 0, 4))).toEqual(["RIFF", "RIFF"]);
  });

  it("is made from one picture and from several", async () => {
    const edit = { model: IMAGE, prompt: "in blue" };
    for (const image of [await picture(), [await picture(), await picture()]])
      expectPng(bytesOf(await openai.images.edit({ ...edit, image }))[0]);
  });

  it("is generated and edited by the AI SDK", async () => {
    const provider = createOpenAICompatible({ name: "media", apiKey, baseURL, fetch: fetchNow });
    const model = provider.imageModel(IMAGE);
    const { image: made } = await generateImage({ model, prompt: "a boat" });
    expectPng(made.uint8Array);
    const prompt = { text: "in blue", images: [made.uint8Array] };
    expectPng((await generateImage({ model, prompt })).image.uint8Array);
  });
});

describe("models by OpenAI's package", () => {
  it("are those that can be used, and one that is not there is not found", async () => {
    const { data } = await openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([VIDEO, IMAGE]));
    expect(await openai.models.retrieve(VIDEO)).toMatchObject({ object: "model" });
    await expect(openai.models.retrieve("sora-2")).rejects.toBeInstanceOf(OpenAI.NotFoundError);
  });
});

describe("errors by OpenAI's package", () => {
  it("are its classes, with code, param and the id of the request", async () => {
    const bad = openai.videos.create({ model: "sora-2", prompt: "a" });
    await expect(bad).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(bad).rejects.toMatchObject({
      status: 400,
      code: "model_not_found",
      type: "invalid_request_error",
      param: "model",
      requestID: expect.stringMatching(/^req_/),
      message: expect.stringMatching(/http\S+\/docs\/guides\/openai says.* \/openai\/v1\/models/),
    });
  });

  it("name what is not supported", async () => {
    const generate = (more: object) =>
      openai.images.generate({ model: IMAGE, prompt: "a", ...more } as never);
    const sizes = expect.stringContaining("1280x720");
    const pictures = expect.stringContaining("needs input_reference: a picture file, a public");
    for (const [call, error] of [
      [() => generate({ n: 5 }), { status: 400, param: "n" }],
      [() => create({ model: "beta-2.7-image-to-video" }), { message: pictures }],
      [() => create({ seconds: "3" }), { code: "unsupported_duration", param: "seconds" }],
      [
        () => create({ size: "1792x1024" }),
        { code: "unsupported_size", param: "size", message: sizes },
      ],
    ] as [() => Promise<unknown>, object][]) {
      await expect(call()).rejects.toMatchObject(error);
    }
  });
});
