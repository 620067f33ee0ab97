/** createImageGeneration. */
import { setImmediate as turn } from "node:timers/promises";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, it } from "vitest";
import { Status, type CreateImageRequest } from "#gen/proto/media/generation/v1/generation_pb.ts";
import { derivedId } from "#runtime/id.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { image } from "../../backends.ts";
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
    expect(lastCall()).toMatchObject({ generationId, replayOnly: false });
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

  it("returns the code of a failed image, its message and its id", async () => {
    const code = "internal";
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
    expect(response.status).toBe(500);
    expect(response.headers.get("idempotent-replayed")).toBe("true");
    expect(await errorOf(response)).toEqual({
      type: "generation_error",
      code,
      message: "Do this.",
      request_id: response.headers.get("request-id"),
      doc_url: expect.stringMatching(new RegExp(`#${code}$`)) as string,
      details: { generation_id: lastCall().generationId },
    });
  });

  /** Makes each image as one that an upstream works on, which `read` then answers. */
  const begin = (read: () => Status) => {
    const at = (id: string, status: Status) => image({ id, status, output: [], progress: 10 });
    harness.backends.createImage = ({ generationId: id }) => ({
      generation: at(id, Status.PROCESSING),
      replayed: false,
    });
    harness.backends.getGeneration = ({ generationId: id }) => ({ generation: at(id, read()) });
  };
  /** Lets the time pass until the request is answered. */
  const answered = async (sent: Promise<Response>) => {
    let isAnswered = false;
    void sent.finally(() => (isAnswered = true));
    await expect.poll(() => harness.calls.length).toBeGreaterThan(0);
    while (!isAnswered) {
      clock.advance(1_000);
      await turn();
    }
    return sent;
  };

  it("returns 503 with the id of an image whose create was cut off", async () => {
    harness.backends.createImage = () => {
      throw new ConnectError("no connection", Code.Unavailable);
    };
    const response = await send(LEAST);
    expect([response.status, await errorOf(response)]).toMatchObject([
      503,
      { code: "unavailable", details: { generation_id: lastCall().generationId } },
    ]);
  });

  it("returns 504 with the id for an image that is unfinished after the wait", async () => {
    begin(() => Status.PROCESSING);
    const startedMs = clock.now().getTime();
    const response = await answered(send(LEAST));
    expect(clock.now().getTime() - startedMs).toBeGreaterThanOrEqual(120_000);
    expect(response.status).toBe(504);
    expect(await errorOf(response)).toMatchObject({
      type: "generation_error",
      code: "generation_timeout",
      details: { generation_id: expect.stringMatching(/^igen_/) as string },
    });
  });

  it("returns 504, too, where the image could not be read all the time", async () => {
    begin(() => {
      throw new ConnectError("no connection", Code.Unavailable);
    });
    expect((await answered(send(LEAST))).status).toBe(504);
  });

  it("returns 200 as soon as a read says that the image has ended", async () => {
    begin(() => Status.SUCCESS);
    expect((await answered(send(LEAST))).status).toBe(200);
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
    expect(lastCall()).toMatchObject({ asynchronous: true });
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
    harness.backends.createImage = ({ generationId: id }) => ({
      generation: image({ id }),
      replayed: true,
    });
    await send(LEAST, { "idempotency-key": "one" });
    expect(lastCall()).toMatchObject({ generationId, asynchronous: false });
  });

  it("is not asked for by wait=0, so that the answer is 200 as without it", async () => {
    const response = await send(LEAST, { prefer: "wait=0" });
    expect(response.status).toBe(200);
    expect(response.headers.has("preference-applied")).toBe(false);
    expect(lastCall()).toMatchObject({ asynchronous: false });
  });
});
