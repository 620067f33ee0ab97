/** createVideoGeneration, and what it shares with createImageGeneration: ids, replays, errors and logs. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { Status, type CreateVideoRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { ErrorReason } from "#gen/proto/media/runtime/v1/errors_pb.ts";
import { refusal } from "#runtime/rpc/errors.ts";
import { derivedId } from "#runtime/id.ts";
import { video, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, post } from "../../requests.ts";

const PATH = "/v1/videos/generations";
const LEAST = { model: "beta-3.0-video", prompt: "a cat" };

const harness = useHarness();

const send = (body: unknown, more: Record<string, string> = {}) =>
  harness.send(PATH, post(harness.key.secret, body, more));
const only = (fields: object) => ({
  $typeName: "media.generation.v1.VideoInput",
  metadata: {},
  referenceImages: [],
  ...fields,
});
const lastCall = () => harness.calls.at(-1)?.request as CreateVideoRequest;

describe("POST /v1/videos/generations", () => {
  it("returns 202 with the generation after defaults", async () => {
    const response = await send(LEAST);
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({
      id: expect.stringMatching(/^vgen_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      object: "video.generation",
      status: "pending",
      model: "beta-3.0-video",
      mode: "test",
      credits: 500,
      progress: 0,
      output: [],
      input: {
        model: "beta-3.0-video",
        prompt: "a cat",
        duration: 5,
        aspect_ratio: "16:9",
        metadata: {},
      },
      created_at: "2026-11-17T12:01:22.107Z",
    });
    expect(response.headers.has("idempotent-replayed")).toBe(false);
  });

  it("passes on every given field and no other", async () => {
    const input = {
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
    const response = await send({ model: "m", ...input });
    expect(((await response.json()) as { input: unknown }).input).toEqual({ model: "m", ...input });
    expect(lastCall()).toMatchObject({
      accountId: harness.key.accountId,
      mode: Mode.TEST,
      model: "m",
      replayOnly: false,
      input: {
        prompt: "a cat",
        duration: 8,
        endUser: "customer-4711",
        metadata: { order_id: "8841", constructor: "x" },
      },
    });
    await send(LEAST);
    expect({ ...lastCall().input }).toEqual(only({ prompt: "a cat" }));
  });

  it("takes values whatever their case, as the document writes them", async () => {
    const references = [{ url: "https://images.example.com/c.jpg", role: "STYLE" }];
    await send({ ...LEAST, resolution: "1080p", reference_images: references });
    expect(lastCall().input).toMatchObject({
      resolution: "1080P",
      referenceImages: [{ role: "style" }],
    });
    const fields = { output_format: "PNG", background: "Opaque", size: "1280X720" };
    const image = { model: "m", prompt: "a cat", ...fields };
    await harness.send("/v1/images/generations", post(harness.key.secret, image));
    const taken = { outputFormat: "png", background: "opaque", size: "1280x720" };
    expect(lastCall().input).toMatchObject(taken);
  });

  it("answers URLs as they were sent, characters beyond ASCII among them", async () => {
    const url = "https://bücher.example/für/uns?a=%zz";
    const body: unknown = await (await send({ ...LEAST, image_url: url, webhook_url: url })).json();
    expect(body).toMatchObject({ input: { image_url: url, webhook_url: url } });
  });

  it("treats null for an optional field as absent", async () => {
    const names =
      "image_url duration metadata webhook_url seed resolution audio last_image_url reference_images video_url";
    const nulls = Object.fromEntries(names.split(" ").map((name) => [name, null]));
    const response = await send({ ...LEAST, ...nulls });
    expect(response.status).toBe(202);
    expect({ ...lastCall().input }).toEqual(only({ prompt: "a cat" }));
  });

  it("derives the id from account, mode, operation and Idempotency-Key, and uses a random one without it", async () => {
    await send(LEAST, { "idempotency-key": "order-1" });
    expect(lastCall().generationId).toBe(
      derivedId("vgen", [harness.key.accountId, "test", "createVideoGeneration", "order-1"]),
    );
    await send(LEAST);
    const first = lastCall().generationId;
    await send(LEAST);
    expect(lastCall().generationId).not.toBe(first);
  });

  it("returns 202 with Idempotent-Replayed for a replay in any state", async () => {
    harness.backends.createVideo = (request) => ({
      generation: video({ id: request.generationId, status: Status.PROCESSING, progress: 40 }),
      replayed: true,
    });
    const response = await send(LEAST, { "idempotency-key": "order-2" });
    expect(response.status).toBe(202);
    expect(response.headers.get("idempotent-replayed")).toBe("true");
    expect(await response.json()).toMatchObject({ status: "processing", progress: 40 });
  });

  it("returns the model's faults, each with its code and field", async () => {
    harness.backends.createVideo = () => {
      const [first, second] = [ErrorReason.IMAGE_URL_REQUIRED, ErrorReason.UNSUPPORTED_DURATION];
      throw refusal(
        { reason: first, field: "image_url", message: "m needs image_url." },
        { reason: second, field: "duration", message: "m makes 2 to 15." },
      );
    };
    const response = await send(LEAST);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toEqual({
      type: "invalid_request_error",
      code: "image_url_required",
      message: "m needs image_url.",
      param: "image_url",
      doc_url: `${harness.url}/docs/errors#image_url_required`,
      request_id: expect.stringMatching(/^req_/),
      errors: [
        { code: "image_url_required", message: "m needs image_url.", param: "image_url" },
        { code: "unsupported_duration", message: "m makes 2 to 15.", param: "duration" },
      ],
    });
  });

  it("returns 402 without Retry-After when a limit of Tokens is reached, with what is used and when it starts anew", async () => {
    const key_id = "key_2zjrwfavgwd8tj2ht7shw0cw42";
    const resets_at = "2026-11-18T00:00:00.000Z";
    const counts = { required: "500", tokens: "600", used: "400" };
    harness.backends.createVideo = refusing("TOKEN_LIMIT_REACHED", "It starts anew tomorrow.", {
      metadata: { ...counts, key_id, period: "day", resets_at },
    });
    const response = await send(LEAST);
    expect(response.status).toBe(402);
    expect(response.headers.has("retry-after")).toBe(false);
    expect(await errorOf(response)).toMatchObject({
      type: "billing_error",
      code: "spend_limit_reached",
      message: "It starts anew tomorrow.",
      details: {
        required: 500,
        limit: 600,
        used: 400,
        resets_at,
        scope: "key",
        key_id,
        period: "day",
      },
    });
  });

  it("reveals nothing of an unknown error, and logs it once with the request's id", async () => {
    harness.backends.createVideo = () => {
      throw new Error("password of the database");
    };
    harness.logLines.length = 0;
    const response = await send(LEAST);
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).not.toContain("password");
    expect(JSON.parse(text)).toMatchObject({ error: { type: "api_error", code: "internal" } });
    const lines = harness.logLines.filter((line) => line["level"] === "error");
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ request_id: response.headers.get("request-id") });
  });

  it("logs one line per request, with the key's id, and without prompt or key", async () => {
    const { keys } = await harness.accounts.listKeys({ accountId: harness.key.accountId });
    harness.logLines.length = 0;
    const prompt = "a very private prompt";
    const response = await send({ ...LEAST, prompt });
    const { id } = (await response.json()) as { id: string };
    await expect.poll(() => harness.logLines.length).toBeGreaterThan(0);
    expect(harness.logLines).toHaveLength(1);
    expect(harness.logLines[0]).toMatchObject({
      method: "POST",
      route: PATH,
      status: 202,
      ms: expect.any(Number),
      request_id: response.headers.get("request-id"),
      account_id: harness.key.accountId,
      key_id: keys[0]?.id,
      generation_id: id,
    });
    expect(lastCall().keyId).toBe(keys[0]?.id);
    const text = JSON.stringify(harness.logLines);
    for (const secret of [
      prompt,
      harness.key.secret,
      createHash("sha256").update(harness.key.secret).digest("hex"),
    ]) {
      expect(text).not.toContain(secret);
    }
  });
});
