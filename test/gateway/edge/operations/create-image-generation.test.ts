/** createImageGeneration. */
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Status, type CreateImageRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { derivedId } from "#runtime/id.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { image, refusing } from "../../backends.ts";
import { useHarness } from "../../harness.ts";
import { errorOf, post } from "../../requests.ts";

const LEAST = { model: "gamma-image-3.0-pro", prompt: "a cat" };

const clock = manualClock();
const harness = useHarness({ clock });

const send = (body: unknown, more: Record<string, string> = {}) =>
  harness.send("/v1/images/generations", post(harness.key.secret, body, more));
const lastCall = () => harness.calls.at(-1)?.request as CreateImageRequest;

describe("POST /v1/images/generations", () => {
  it("waits up to 120 seconds and returns 200 with the finished image", async () => {
    const response = await send(LEAST, { "idempotency-key": "order-1" });
    expect(response.status).toBe(200);
    const generationId = derivedId("igen", [
      harness.key.accountId,
      "test",
      "createImageGeneration",
      "order-1",
    ]);
    expect(response.headers.get("location")).toBe(`/v1/images/generations/${generationId}`);
    expect(await response.json()).toEqual({
      id: generationId,
      object: "image.generation",
      status: "success",
      model: "gamma-image-3.0-pro",
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
      input: {
        model: "gamma-image-3.0-pro",
        prompt: "a cat",
        image_urls: [],
        size: "1024x1024",
        prompt_extend: true,
        metadata: {},
      },
      created_at: "2026-11-17T12:01:22.107Z",
    });
    expect(lastCall()).toMatchObject({ generationId, waitSeconds: 120, replayOnly: false });
    expect({ ...lastCall().input }).toEqual({
      $typeName: "media.generation.v1.ImageInput",
      prompt: "a cat",
      imageUrls: [],
      metadata: {},
    });
  });

  it("passes on every given field, including false and 0", async () => {
    const input = {
      prompt: "a cat",
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
    const response = await send({ model: "m", ...input });
    expect(((await response.json()) as { input: unknown }).input).toEqual({ model: "m", ...input });
  });

  it.each([
    ["content_rejected", 400],
    ["invalid_input", 400],
    ["internal", 500],
    ["upstream_failed", 502],
    ["upstream_timeout", 504],
    ["expired", 504],
  ])("returns the code of a failed image: %s with %i", async (code, status) => {
    harness.backends.createImage = ({ generationId }) => ({
      generation: image({
        id: generationId,
        status: Status.FAILED,
        credits: 0n,
        output: [],
        error: { code, message: "Do this." },
      }),
      replayed: true,
    });
    const response = await send(LEAST, { "idempotency-key": code });
    expect(response.status).toBe(status);
    expect(response.headers.get("idempotent-replayed")).toBe("true");
    expect(await errorOf(response)).toEqual({
      type: "generation_error",
      code,
      message: "Do this.",
      request_id: response.headers.get("request-id"),
      doc_url: expect.stringMatching(new RegExp(`/${code}$`)) as string,
      details: { generation_id: lastCall().generationId },
    });
  });

  it("returns internal for a failure that the document does not have", async () => {
    harness.backends.createImage = ({ generationId }) => ({
      generation: image({
        id: generationId,
        status: Status.FAILED,
        error: { code: "vendor_x_quota", message: "" },
      }),
      replayed: false,
    });
    const response = await send(LEAST);
    expect(response.status).toBe(500);
    expect(await errorOf(response)).toMatchObject({ type: "generation_error", code: "internal" });
  });

  it("returns 409 with the id for an image that is canceled while it waits, or was before", async () => {
    harness.backends.createImage = ({ generationId }) => ({
      generation: image({ id: generationId, status: Status.CANCELED, credits: 0n, output: [] }),
      replayed: true,
    });
    const response = await send(LEAST, { "idempotency-key": "canceled" });
    expect(response.status).toBe(409);
    expect(await errorOf(response)).toMatchObject({
      type: "generation_error",
      code: "canceled",
      details: { generation_id: lastCall().generationId },
    });
  });

  it("returns 504 with the id for an image that is unfinished after the wait", async () => {
    harness.backends.createImage = ({ generationId }) => ({
      generation: image({ id: generationId, status: Status.PROCESSING, output: [], progress: 10 }),
      replayed: false,
    });
    const response = await send(LEAST);
    expect(response.status).toBe(504);
    expect(await errorOf(response)).toMatchObject({
      type: "generation_error",
      code: "generation_timeout",
      details: { generation_id: lastCall().generationId },
    });
  });

  it.each([
    ["after", 120_000, 504, "generation_timeout"],
    ["before", 119_000, 503, "unavailable"],
  ])(
    "returns for a call without an answer, %s the 120 seconds (%i ms), %i %s",
    async (_when, ms, status, code) => {
      harness.backends.createImage = () => {
        clock.advance(ms);
        throw new ConnectError("the operation timed out", Code.DeadlineExceeded);
      };
      const response = await send(LEAST);
      expect(response.status).toBe(status);
      const details = { generation_id: lastCall().generationId };
      expect(await errorOf(response)).toMatchObject({ code, details });
    },
  );

  it.each([
    ["IMAGE_URLS_NOT_SUPPORTED", "image_urls_not_supported", "image_urls"],
    ["TOO_MANY_REFERENCES", "too_many", "image_urls"],
    ["UNSUPPORTED_SIZE", "unsupported_size", "size"],
  ] as const)("returns 400 for %s: %s", async (reason, code, field) => {
    harness.backends.createImage = refusing(reason, "Do this.", { field });
    const response = await send(LEAST);
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({
      type: "invalid_request_error",
      code,
      param: field,
      message: "Do this.",
    });
  });
});

describe("POST /v1/images/generations with Prefer", () => {
  /** Makes each image pending at its create. */
  const pendAtCreate = () => {
    harness.backends.createImage = ({ generationId }) => ({
      generation: image({ id: generationId, status: Status.PENDING, output: [], progress: 0 }),
      replayed: false,
    });
  };

  it("respond-async returns 202 with the pending image and its path, and does not wait", async () => {
    pendAtCreate();
    const response = await send(LEAST, { prefer: "respond-async" });
    expect(response.status).toBe(202);
    const { generationId } = lastCall();
    expect(lastCall()).toMatchObject({ asynchronous: true, waitSeconds: 0 });
    expect(response.headers.get("location")).toBe(`/v1/images/generations/${generationId}`);
    expect(response.headers.get("preference-applied")).toBe("respond-async");
    expect(await response.json()).toMatchObject({ id: generationId, status: "pending" });
    expect(harness.calls).toHaveLength(1);
  });

  it.each([
    ["respond-async, wait=30", "respond-async, wait=30"],
    ["wait=30", "wait=30"],
  ])("%s holds the 202 until the image has ended", async (prefer, applied) => {
    harness.backends.createImage = ({ generationId }) => ({
      generation: image({ id: generationId }),
      replayed: false,
    });
    const response = await send(LEAST, { prefer });
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBe(applied);
    expect(await response.json()).toMatchObject({ status: "success" });
  });

  it("returns a failed or canceled image as an image, not as an error", async () => {
    for (const status of [Status.FAILED, Status.CANCELED]) {
      harness.backends.createImage = ({ generationId }) => ({
        generation: image({ id: generationId, status, credits: 0n, output: [] }),
        replayed: true,
      });
      const response = await send(LEAST, { prefer: "respond-async", "idempotency-key": "k" });
      expect(response.status).toBe(202);
      expect(response.headers.get("idempotent-replayed")).toBe("true");
    }
  });

  it("has one id for a key, whatever it prefers", async () => {
    pendAtCreate();
    await send(LEAST, { prefer: "respond-async", "idempotency-key": "one" });
    const { generationId } = lastCall();
    await send(LEAST, { "idempotency-key": "one" });
    expect(lastCall()).toMatchObject({ generationId, asynchronous: false, waitSeconds: 120 });
  });

  it("is not asked for by wait=0, so that the answer is 200 as without it", async () => {
    const response = await send(LEAST, { prefer: "wait=0" });
    expect(response.status).toBe(200);
    expect(response.headers.has("preference-applied")).toBe(false);
    expect(lastCall()).toMatchObject({ asynchronous: false, waitSeconds: 120 });
  });

  it("returns the errors of a create as without it", async () => {
    harness.backends.createImage = refusing("MODEL_NOT_FOUND", "Do this.", { field: "model" });
    const response = await send(LEAST, { prefer: "respond-async" });
    expect(response.status).toBe(400);
    expect(response.headers.has("preference-applied")).toBe(false);
  });
});
