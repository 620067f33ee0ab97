/** createVideoGeneration and createImageGeneration. */
import { createHash } from "node:crypto";
import { Code, ConnectError } from "@connectrpc/connect";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { derivedId } from "#runtime/id.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { image, refusing } from "../../backends.ts";
import { MOVED_TIME, useHarness } from "../../harness.ts";
import { errorOf, IMAGE, IMAGES, passTime, VIDEO, VIDEOS } from "../../requests.ts";

const KEY = { "idempotency-key": "order-1" };

const { clock } = MOVED_TIME;
const harness = useHarness(MOVED_TIME);

const createVideo = (body: object = VIDEO, more = {}) => harness.post(VIDEOS, body, more);
const createImage = (more = {}, body: object = IMAGE) => harness.post(IMAGES, body, more);
const lastVideo = () => harness.requestsTo("createVideo").at(-1);
const lastImage = () => harness.requestsTo("createImage").at(-1);
const cutOff = () => {
  throw new ConnectError("no connection", Code.Unavailable);
};

describe("POST /v1/videos/generations", () => {
  it("passes on every given field and no other, and returns the generation with its defaults", async () => {
    const input = {
      model: "m",
      prompt: "a cat",
      image_url: "https://images.example.com/a.jpg",
      duration: 8,
      aspect_ratio: "9:16",
      negative_prompt: "dogs",
      seed: 0,
      resolution: "1080P",
      audio: false,
      last_image_url: "https://images.example.com/b.jpg",
      reference_images: [{ url: "https://images.example.com/c.jpg", role: "style" }],
      video_url: "https://videos.example.com/d.mp4",
      webhook_url: "https://shop.example.com:8443/hook",
      end_user: "customer-4711",
      metadata: { order_id: "8841", constructor: "x" },
    };
    expect(await (await createVideo(input)).json()).toMatchObject({ input });
    const { accountId } = harness.key;
    const metadata = { ...input.metadata };
    const asked = { accountId, mode: Mode.TEST, model: "m", replayOnly: false };
    expect(lastVideo()).toMatchObject({ ...asked, input: { endUser: "customer-4711", metadata } });
    const names = ["image_url", "duration", "metadata", "webhook_url", "seed", "resolution"];
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    for (const least of [VIDEO, { ...VIDEO, ...nulls }]) {
      const response = await createVideo(least);
      expect([response.status, response.headers.has("idempotent-replayed")]).toEqual([202, false]);
      const { generationId: id = "" } = lastVideo() ?? {};
      const fresh = { status: "pending", mode: "test", credits: 500, progress: 0, output: [] };
      const made = { ...fresh, model: VIDEO.model, created_at: "2026-11-17T12:01:22.107Z" };
      const after = { ...VIDEO, duration: 5, aspect_ratio: "16:9", metadata: {} };
      const object = "video.generation";
      expect(await response.json()).toEqual({ id, object, ...made, input: after });
      const empty = { metadata: {}, referenceImages: [] };
      const type = { $typeName: "media.generation.v1.VideoInput" };
      expect({ ...lastVideo()?.input }).toEqual({ ...type, prompt: "a cat", ...empty });
    }
  });

  it("takes values whatever their case, as the document writes them, and answers URLs as they were sent", async () => {
    const references = [{ url: "https://images.example.com/c.jpg", role: "STYLE" }];
    await createVideo({ ...VIDEO, resolution: "1080p", reference_images: references });
    const written = { resolution: "1080P", referenceImages: [{ role: "style" }] };
    expect(lastVideo()?.input).toMatchObject(written);
    const fields = { output_format: "PNG", background: "Opaque", size: "1280X720" };
    await createImage({}, { ...IMAGE, ...fields });
    const taken = { outputFormat: "png", background: "opaque", size: "1280x720" };
    expect(lastImage()?.input).toMatchObject(taken);
    const url = "https://bücher.example/für/uns?a=%zz";
    const response = await createVideo({ ...VIDEO, image_url: url, webhook_url: url });
    expect(await response.json()).toMatchObject({ input: { image_url: url, webhook_url: url } });
  });

  it("derives the id from account, mode, operation and Idempotency-Key, and uses a random one without it", async () => {
    await createVideo(VIDEO, KEY);
    const named = [harness.key.accountId, "test", "createVideoGeneration", "order-1"];
    expect(lastVideo()?.generationId).toBe(derivedId("vgen", named));
    await createVideo();
    const first = lastVideo()?.generationId;
    await createVideo();
    expect(lastVideo()?.generationId).not.toBe(first);
  });

  it("returns the model's faults, each with its code and field", async () => {
    const required = { message: "m needs image_url.", param: "image_url" };
    const unsupported = { message: "m makes 2 to 15.", param: "duration" };
    harness.backends.createVideo = () => {
      throw refusal(
        { reason: ErrorReason.IMAGE_URL_REQUIRED, field: required.param, ...required },
        { reason: ErrorReason.UNSUPPORTED_DURATION, field: unsupported.param, ...unsupported },
      );
    };
    const first = { code: "image_url_required", ...required };
    expect(await errorOf(createVideo())).toEqual({
      ...first,
      status: 400,
      type: "invalid_request_error",
      doc_url: `${harness.url}/docs/errors#image_url_required`,
      request_id: expect.stringMatching(/^req_/),
      errors: [first, { code: "unsupported_duration", ...unsupported }],
    });
  });

  it("returns 402 without Retry-After when a limit of Tokens is reached, with what is used and when it starts anew", async () => {
    const when = { key_id: "key_1", period: "day", resets_at: "2026-11-18T00:00:00.000Z" };
    const counts = { required: "500", tokens: "600", used: "400" };
    harness.backends.createVideo = refusing("TOKEN_LIMIT_REACHED", "It starts anew tomorrow.", {
      metadata: { ...counts, ...when },
    });
    const response = await createVideo();
    expect(response.headers.has("retry-after")).toBe(false);
    expect(await errorOf(response)).toMatchObject({
      status: 402,
      code: "spend_limit_reached",
      message: "It starts anew tomorrow.",
      details: { required: 500, limit: 600, used: 400, scope: "key", ...when },
    });
  });

  it("reveals nothing of an unknown error, and logs it once with the request's id", async () => {
    harness.backends.createVideo = () => {
      throw new Error("password of the database");
    };
    harness.logLines.length = 0;
    const response = await createVideo();
    const text = await response.text();
    expect(text).not.toContain("password");
    expect(JSON.parse(text)).toMatchObject({ error: { type: "api_error", code: "internal" } });
    const lines = harness.logLines.filter((line) => line["level"] === "error");
    expect(lines).toMatchObject([{ request_id: response.headers.get("request-id") }]);
  });

  it("logs one line per request, with the key's id, and without prompt or key", async () => {
    const { accountId, secret } = harness.key;
    const keyId = (await harness.accounts.listKeys({ accountId })).keys[0]?.id;
    const prompt = "a very private prompt";
    const response = await createVideo({ ...VIDEO, prompt });
    const ofRequest = () =>
      harness.logLines.filter((line) => line["request_id"] === response.headers.get("request-id"));
    await expect.poll(() => ofRequest().length).toBeGreaterThan(0);
    expect(lastVideo()?.keyId).toBe(keyId);
    const ids = { account_id: accountId, key_id: keyId, generation_id: lastVideo()?.generationId };
    const line = { method: "POST", route: VIDEOS, status: 202, ms: expect.any(Number) };
    expect(ofRequest()).toMatchObject([{ ...line, ...ids }]);
    const hash = createHash("sha256").update(secret).digest("hex");
    for (const one of [prompt, secret, hash])
      expect(JSON.stringify(harness.logLines)).not.toContain(one);
  });
});

describe("POST /v1/images/generations", () => {
  it("waits up to 120 seconds and returns 200 with the finished image", async () => {
    const response = await createImage(KEY);
    expect(response.status).toBe(200);
    const named = [harness.key.accountId, "test", "createImageGeneration", "order-1"];
    const id = derivedId("igen", named);
    expect(response.headers.get("location")).toBe(`${IMAGES}/${id}`);
    expect(await response.json()).toEqual({
      id,
      object: "image.generation",
      status: "success",
      mode: "test",
      credits: 42,
      progress: 100,
      output: [
        {
          url: "https://media.example.com/assets/a/igen/0.png",
          content_type: "image/png",
          width: 1024,
          height: 1024,
          bytes: 9,
          provenance: "none",
        },
      ],
      model: IMAGE.model,
      input: { ...IMAGE, image_urls: [], size: "1024x1024", prompt_extend: true, metadata: {} },
      created_at: "2026-11-17T12:01:22.107Z",
    });
    expect(lastImage()).toMatchObject({ generationId: id, replayOnly: false });
    const type = { $typeName: "media.generation.v1.ImageInput" };
    const given = { prompt: "a cat", imageUrls: [], metadata: {} };
    expect({ ...lastImage()?.input }).toEqual({ ...type, ...given });
  });

  it("passes on every given field, including false and 0", async () => {
    const input = {
      ...IMAGE,
      image_urls: ["https://images.example.com/a.png", "https://images.example.com/b.png"],
      size: "2048x2048",
      negative_prompt: "",
      prompt_extend: false,
      seed: 0,
      n: 4,
      mask_url: "https://images.example.com/m.png",
      background: "transparent",
      output_format: "webp",
      metadata: { sku: "" },
    };
    const body = (await (await createImage({}, input)).json()) as { input: unknown };
    expect(body.input).toEqual(input);
  });

  it("returns the code of a failed image, its message and its id", async () => {
    const error = { code: "internal", message: "Do this." };
    harness.answerAll({ status: Status.FAILED, credits: 0n, output: [], error }, true);
    const response = await createImage(KEY);
    expect(response.headers.get("idempotent-replayed")).toBe("true");
    const details = { generation_id: lastImage()?.generationId };
    const expected = { ...error, status: 500, type: "generation_error", details };
    expect(await errorOf(response)).toMatchObject(expected);
  });

  it("returns 503 with the id of an image whose create was cut off", async () => {
    harness.backends.createImage = cutOff;
    const error = await errorOf(createImage());
    const details = { generation_id: lastImage()?.generationId };
    expect(error).toMatchObject({ status: 503, code: "unavailable", details });
  });

  /** Creates an image that an upstream works on, which `read` then answers, and lets the time pass. */
  const created = async (read: () => Status) => {
    harness.answerAll({ status: Status.PROCESSING, output: [], progress: 10 });
    harness.backends.getGeneration = ({ generationId: id }) => ({
      generation: image({ id, status: read(), output: [], progress: 10 }),
    });
    const sent = createImage();
    await expect.poll(() => harness.calls.length).toBeGreaterThan(0);
    return passTime(clock, sent);
  };

  it.each([
    ["is unfinished after the wait", () => Status.PROCESSING],
    ["could not be read all the time", cutOff],
  ])("returns 504 with the id for an image that %s", async (_what, read) => {
    const startedMs = clock.now().getTime();
    const details = { generation_id: expect.stringMatching(/^igen_/) };
    const timeout = { status: 504, type: "generation_error", code: "generation_timeout", details };
    expect(await errorOf(created(read))).toMatchObject(timeout);
    expect(clock.now().getTime() - startedMs).toBeGreaterThanOrEqual(120_000);
  });

  it("returns 200 as soon as a read says that the image has ended", async () => {
    expect((await created(() => Status.SUCCESS)).status).toBe(200);
  });
});

describe("POST /v1/images/generations with Prefer", () => {
  const answerImage = (status: Status, replayed = false) =>
    harness.answerAll({ status, credits: 0n, output: [], progress: 0 }, replayed);

  it.each([
    ["respond-async", Status.PENDING, "pending"],
    ["respond-async", Status.FAILED, "failed"],
    ["respond-async, wait=30", Status.SUCCESS, "success"],
    ["wait=30", Status.SUCCESS, "success"],
  ] as const)("%s returns 202 with the image as it is (%i)", async (prefer, status, name) => {
    answerImage(status);
    const response = await createImage({ prefer });
    const { generationId: id, asynchronous } = lastImage() ?? {};
    expect([response.status, asynchronous]).toEqual([202, true]);
    expect(response.headers.get("location")).toBe(`${IMAGES}/${id}`);
    expect(response.headers.get("preference-applied")).toBe(prefer);
    expect(await response.json()).toMatchObject({ id, status: name });
    expect(harness.calls).toHaveLength(1);
  });

  it("has one id for a key, whatever it prefers", async () => {
    answerImage(Status.PENDING);
    await createImage({ prefer: "respond-async", ...KEY });
    const { generationId } = lastImage() ?? {};
    answerImage(Status.SUCCESS, true);
    await createImage(KEY);
    expect(lastImage()).toMatchObject({ generationId, asynchronous: false });
  });
});
