/** The whole service as OpenAI's own package for Node and the AI SDK see it: every method that they have for it. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateImage } from "ai";
import OpenAI, { toFile } from "openai";
import { beforeAll, describe, expect, it } from "vitest";
import { randomId } from "#runtime/id.ts";
import type { Client } from "../../../../clients/typescript/index.ts";
import { clientOf, newCustomer, type Customer } from "../../../support/customer.ts";
import { makeImage } from "../../../support/make-media.ts";
import { sharedService, type SharedService } from "../../../support/shared-service.ts";

const VIDEO = "alpha-2.0-fast";
const VIDEO_TOKENS = 169;
const IMAGE = "gamma-image-3.0-pro";
const PNG_BEGIN = "89504e47";

let service: SharedService;
let customer: Customer;
let openai: OpenAI;
let native: Client;

const clientWith = async (mode: "live" | "test", options: object = {}) =>
  new OpenAI({
    apiKey: await customer.key(mode),
    baseURL: `${service.url}/openai/v1`,
    fetch: (...request) => globalThis.fetch(...request),
    ...options,
  });

beforeAll(async () => {
  service = await sharedService();
  customer = await newCustomer(service);
  openai = await clientWith("live");
  native = clientOf(service.url, await customer.key("live"));
});

const create = (more: object = {}, options: object = {}) =>
  openai.videos.create({ model: VIDEO, prompt: "a paper boat", ...more } as never, options);

const ended = async (id: string) => {
  await native.videos.wait(id);
  return openai.videos.retrieve(id);
};

const begins = async (response: Response, bytes: number) =>
  Buffer.from(await response.arrayBuffer())
    .subarray(0, bytes)
    .toString("hex");

describe("a video by OpenAI's package", () => {
  it("is created, retrieved until it is completed, and downloaded while it arrives", async () => {
    const { data: created, response } = await create({
      seconds: "5",
      size: "720x1280",
    }).withResponse();
    expect(created).toMatchObject({
      object: "video",
      model: VIDEO,
      status: "queued",
      progress: 0,
      prompt: "a paper boat",
      seconds: "5",
      size: "720x1280",
      completed_at: null,
      expires_at: null,
      error: null,
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
  });

  it("takes its first frame as a file, as a data URL, as an address and as a file's id", async () => {
    const picture = makeImage("png");
    const file = await toFile(picture, "first.png", { type: "image/png" });
    const byFile = await create({ input_reference: file });
    const dataUrl = `data:image/png;base64,${picture.toString("base64")}`;
    const byObject = await create({ input_reference: { image_url: dataUrl } });
    const { id, url } = await native.files.create(new Uint8Array(picture));
    const byAddress = await create({ input_reference: { image_url: url } });
    const byId = await create({ input_reference: { file_id: id } });
    const json = { model: VIDEO, prompt: "a boat", input_reference: { image_url: dataUrl } };
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
    for (const prompt of ["one", "two", "three"]) made.push((await create({ prompt })).id);
    const ids = async (order: "asc" | "desc") => {
      const found: string[] = [];
      for await (const { id } of openai.videos.list({ limit: 2, order })) found.push(id);
      return found;
    };
    const newest = await ids("desc");
    expect(newest.slice(0, 3)).toEqual(made.toReversed());
    expect(await ids("asc")).toEqual(newest.toReversed());
  });

  it("is deleted once it has ended", async () => {
    const { id } = await create();
    await ended(id);
    const deleted = await openai.videos.delete(id);
    expect(deleted).toEqual({ id, object: "video.deleted", deleted: true });
    await expect(openai.videos.retrieve(id)).rejects.toMatchObject({ status: 410, code: "gone" });
  });

  it("that is repeated with one key is charged once", async () => {
    const before = await native.balance.retrieve();
    const keyed = await clientWith("live", {
      fetch: cutOffFirst(),
    });
    const file = await toFile(makeImage("jpeg"), "first.jpg");
    const video = await keyed.videos.create(
      { model: VIDEO as never, prompt: "a kite", input_reference: file },
      { headers: { "Idempotency-Key": "kite-1" } },
    );
    await ended(video.id);
    const after = await native.balance.retrieve();
    expect(before.available - after.available).toBe(VIDEO_TOKENS);
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
    const byUrl = await openai.images.generate({
      ...image,
      size: "1024x1024",
      n: 1,
      response_format: "url",
    });
    expect(byUrl).toMatchObject({ size: "1024x1024", output_format: "png" });
    expect(await begins(await fetch(byUrl.data?.[0]?.url ?? ""), 4)).toBe(PNG_BEGIN);
    const inline = await openai.images.generate(image);
    const bytes = Buffer.from(inline.data?.[0]?.b64_json ?? "", "base64");
    expect(bytes.toString("hex", 0, 4)).toBe(PNG_BEGIN);
    expect(inline).toMatchObject({ created: expect.any(Number), output_format: "png" });
    const several = { ...image, n: 2, output_format: "webp", response_format: "b64_json" } as const;
    const { data = [], output_format: format } = await openai.images.generate(several);
    expect(format).toBe("webp");
    const formats = data.map(({ b64_json: text = "" }) =>
      Buffer.from(text, "base64").toString("latin1", 0, 4),
    );
    expect(formats).toEqual(["RIFF", "RIFF"]);
  });

  it("is made from one picture and from several", async () => {
    const picture = () => toFile(makeImage("png"), "chair.png", { type: "image/png" });
    const edit = { model: IMAGE, prompt: "in blue" };
    const one = await openai.images.edit({ ...edit, image: await picture() });
    const two = await openai.images.edit({ ...edit, image: [await picture(), await picture()] });
    for (const { data } of [one, two]) {
      const bytes = Buffer.from(data?.[0]?.b64_json ?? "", "base64");
      expect(bytes.toString("hex", 0, 4)).toBe(PNG_BEGIN);
    }
  });

  it("is generated and edited by the AI SDK", async () => {
    const provider = createOpenAICompatible({
      name: "media",
      apiKey: await customer.key("live"),
      baseURL: `${service.url}/openai/v1`,
      fetch: (...request) => globalThis.fetch(...request),
    });
    const model = provider.imageModel(IMAGE);
    const made = await generateImage({ model, prompt: "a boat" });
    expect(Buffer.from(made.image.uint8Array).toString("hex", 0, 4)).toBe(PNG_BEGIN);
    const prompt = { text: "in blue", images: [made.image.uint8Array] };
    const edited = await generateImage({ model, prompt });
    expect(Buffer.from(edited.image.uint8Array).toString("hex", 0, 4)).toBe(PNG_BEGIN);
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
    const bad = await openai.videos
      .create({ model: "sora-2", prompt: "a" })
      .catch((error: unknown) => error);
    expect(bad).toBeInstanceOf(OpenAI.BadRequestError);
    expect(bad).toMatchObject({
      status: 400,
      code: "model_not_found",
      type: "invalid_request_error",
      param: "model",
      requestID: expect.stringMatching(/^req_/),
      message: expect.stringContaining("/openai/v1/models"),
    });
    const stranger = new OpenAI({ apiKey: "mgs_live_no", baseURL: `${service.url}/openai/v1` });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(openai.videos.retrieve(randomId("vgen"))).rejects.toBeInstanceOf(
      OpenAI.NotFoundError,
    );
    const poor = await newCustomer(service, 0);
    const client = new OpenAI({
      apiKey: await poor.key("live"),
      baseURL: `${service.url}/openai/v1`,
    });
    await expect(client.images.generate({ model: IMAGE, prompt: "a" })).rejects.toMatchObject({
      status: 402,
      code: "insufficient_tokens",
    });
  });

  it("name what is not supported, and are not repeated", async () => {
    const generate = (more: object) =>
      openai.images.generate({ model: IMAGE, prompt: "a", ...more } as never);
    await expect(generate({ n: 5 })).rejects.toMatchObject({ status: 400, param: "n" });
    await expect(generate({ stream: true })).rejects.toMatchObject({ param: "stream" });
    await expect(generate({ partial_images: 2 })).rejects.toMatchObject({
      param: "partial_images",
    });
    await expect(generate({ quality: "high" })).rejects.toMatchObject({ param: "quality" });
    await expect(create({ seconds: "3" })).rejects.toMatchObject({
      code: "unsupported_duration",
      param: "seconds",
    });
    await expect(create({ size: "1792x1024" })).rejects.toMatchObject({
      code: "unsupported_size",
      param: "size",
      message: expect.stringContaining("1280x720"),
    });
    const { id } = await create();
    const refused = [
      () => openai.videos.remix(id, { prompt: "b" }),
      () => openai.videos.edit({ video: { id }, prompt: "b" } as never),
      () => openai.videos.extend({ video: { id }, prompt: "b", seconds: "4" } as never),
      () => openai.videos.getCharacter("char_1"),
    ];
    for (const call of refused) {
      await expect(call()).rejects.toMatchObject({
        status: 404,
        message: expect.stringMatching(/This service does not (remix|edit|extend|keep)/),
      });
    }
    const mask = await toFile(makeImage("png"), "mask.png");
    await expect(
      openai.images.edit({ model: IMAGE, prompt: "a", image: mask, mask }),
    ).rejects.toMatchObject({ code: "unknown_field", param: "mask" });
  });
});
