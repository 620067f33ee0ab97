/** The provider for the OpenAI dialect: conformance, and what is the dialect's own. */
import { describe, expect, test } from "vitest";
import { openaiProvider } from "../../../services/generation/providers/vendors/openai.ts";
import { QUOTE, RESULT, type JobState } from "../../support/fake-upstreams/fake-upstream.ts";
import { openaiError, startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { accepted, jobWith, meaningOf, never, startProvider } from "./provider-under-test.ts";
import { conforms } from "./conformance.ts";
import type { Refusals, Subject } from "./subject.ts";

const FILE = "https://files.gateway.test/one.png";

const failed = (code: string, message = QUOTE): JobState => ({
  status: "failed",
  error: { code, message },
});

const REFUSALS: Refusals = {
  billing: openaiError(429, "insufficient_quota", QUOTE),
  config: openaiError(400, "model_not_found", QUOTE, "model"),
  content: openaiError(400, "moderation_blocked", QUOTE),
  input: openaiError(400, "invalid_value", QUOTE, "seconds"),
  rateLimited: openaiError(429, "rate_limit_exceeded", QUOTE),
  broken: openaiError(500, null, QUOTE),
};

const SUBJECT: Subject = {
  name: "the OpenAI dialect",
  create: openaiProvider,
  start: startOpenaiFake,
  jobs: [
    {
      job: { kind: "video", model: "sora-2", durationSeconds: 8 },
      refusals: REFUSALS,
      states: {
        running: { status: "in_progress", progress: 40 },
        succeeded: { status: "completed", progress: 100 },
        odd: { status: "post_processing" },
        failed: failed("server_error"),
        contentRejected: failed("moderation_blocked"),
        badInput: failed("invalid_input_reference"),
        gone: { status: "gone" },
      },
      find: "unknown",
    },
  ],
  image: {
    job: { model: "gpt-image-2" },
    refusals: REFUSALS,
    empty: { status: 200, json: { created: 1, data: [] } },
    alsoSucceeds: [
      {
        reply: { status: 200, json: { data: [{ b64_json: RESULT.toString("base64") }] } },
        content: RESULT,
      },
      { reply: { status: 200, json: { data: [{ b64_json: null, url: FILE }] } }, url: FILE },
    ],
  },
};

conforms(SUBJECT);

describe("the OpenAI dialect's own ways", () => {
  const video = jobWith({ kind: "video", model: "sora-2", durationSeconds: 8 });
  const image = jobWith({ kind: "image", model: "gpt-image-2", width: 1152, height: 864 });

  const picture = (text: string) => ({ content: Buffer.from(text), contentType: "image/webp" });

  test("a video is asked for in JSON, its seconds as a text and its first frame as a data URI", async () => {
    await using started = await startProvider(SUBJECT);
    const framed = { imageUrls: ["https://pictures.test/a.png"], pictures: [picture("a frame")] };
    const parameters = { body: { size: "1792x1024", quality: "pro" } };
    await accepted(started.provider, { ...video, ...framed, negativePrompt: "rain" });
    await accepted(started.provider, { ...video, parameters });
    const [first, second] = started.fake.requests;
    const bytes = Buffer.from("a frame").toString("base64");
    expect(first?.json).toEqual({
      model: "sora-2",
      prompt: `${video.prompt}\n\nAvoid: rain`,
      seconds: "8",
      size: "1280x720",
      input_reference: { image_url: `data:image/webp;base64,${bytes}` },
    });
    expect(second?.json).toMatchObject({ size: "1792x1024", quality: "pro" });
    expect(second?.json).not.toHaveProperty("input_reference");
  });

  test("progress is told as the upstream has it, and the content lies behind the key", async () => {
    await using started = await startProvider(SUBJECT);
    const id = await accepted(started.provider, video);
    started.fake.says(id, { status: "in_progress", progress: 61 }, { status: "completed" });
    expect(await started.provider.poll(id, never)).toMatchObject({ kind: "running", progress: 61 });
    expect(await started.provider.poll(id, never)).toEqual({
      kind: "succeeded",
      sources: [
        {
          url: `${started.fake.baseUrl}/videos/${id}/content`,
          configuredOrigin: true,
          headers: { authorization: `Bearer ${started.fake.key}` },
        },
      ],
    });
  });

  test("a download that has expired is expired, and words of the safety system are a content refusal", async () => {
    await using started = await startProvider(SUBJECT);
    const id = await accepted(started.provider, video);
    const failureOf = async (state: JobState) => {
      started.fake.says(id, state);
      const polled = await started.provider.poll(id, never);
      return polled.kind === "failed" ? polled.failure.code : polled.kind;
    };
    const expires_at = started.clock.now().getTime() / 1000;
    expect(await failureOf({ status: "completed", expires_at })).toBe("expired");
    expect(await failureOf({ status: "completed", expires_at: expires_at + 1 })).toBe("succeeded");
    expect(await failureOf(failed("", "Rejected by our safety system"))).toBe("content_rejected");
    expect(await failureOf({ status: "failed", error: null })).toBe("upstream_failed");
    expect(await failureOf({ status: "cancelled" })).toBe("stopped");
  });

  test("a mask is a file beside the pictures, and background and format are the client's", async () => {
    await using started = await startProvider(SUBJECT);
    const asked = {
      ...image,
      model: "gpt-image-2.6",
      imageUrls: ["https://pictures.test/a.png"],
      maskUrl: "https://pictures.test/m.png",
      pictures: [picture("one"), picture("the mask")],
      background: "transparent",
      outputFormat: "webp",
      parameters: { body: { background: "auto", output_format: "png" } },
    };
    expect(await started.provider.image?.(asked, never)).toMatchObject({ kind: "succeeded" });
    const form = started.fake.requests[0]?.form ?? new FormData();
    expect(form.getAll("image[]")).toHaveLength(1);
    expect(await (form.get("mask") as File).text()).toBe("the mask");
    expect([form.get("background"), form.get("output_format")]).toEqual(["transparent", "webp"]);
  });

  test.each<[number, string | null, string, string, string?]>([
    [400, "billing_hard_limit_reached", QUOTE, "billing"],
    [403, null, QUOTE, "auth"],
    [400, "unknown_parameter", QUOTE, "config", "enhance"],
    [400, "unsupported_parameter", QUOTE, "config", "enhance"],
    [404, null, QUOTE, "config"],
    [408, null, QUOTE, "unknown"],
    [503, null, QUOTE, "unknown"],
    [503, "server_is_overloaded", QUOTE, "unavailable"],
    [400, null, "Rejected by the safety system", "content_rejected"],
    [400, "invalid_value", QUOTE, "invalid_input", "input_reference"],
  ])("%i %s is told apart: %s means %s", async (status, code, message, expected, field) => {
    await using started = await startProvider(SUBJECT);
    started.fake.once("submit", { instead: openaiError(status, code, message, field) });
    expect(meaningOf(await started.provider.submit(video, never))).toBe(expected);
  });

  test("the more exact of two waits is taken", async () => {
    await using started = await startProvider(SUBJECT);
    const headers = { "retry-after-ms": "250", "retry-after": "9" };
    started.fake.once("submit", { instead: { ...REFUSALS.rateLimited, headers } });
    expect(await started.provider.submit(video, never)).toMatchObject({ retryAfterMs: 250 });
  });
});
