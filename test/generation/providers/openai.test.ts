/** The provider for the OpenAI dialect: conformance, and what is the dialect's own. */
import { describe, expect, test } from "vitest";
import { openaiProvider } from "../../../services/generation/providers/vendors/openai.ts";
import {
  QUOTE,
  RESULT,
  type FakeReply,
  type JobState,
} from "../../support/fake-upstreams/fake-upstream.ts";
import { openaiError, startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { accepted, jobWith, never, startProvider } from "./provider-under-test.ts";
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

  test("errors are told apart by their codes, whatever their status", async () => {
    await using started = await startProvider(SUBJECT);
    const submitted = async (instead: FakeReply) => {
      started.fake.once("submit", { instead });
      return started.provider.submit(video, never);
    };
    const closed = (fault: string) => ({ kind: "closed", fault });
    const hardLimit = openaiError(400, "billing_hard_limit_reached", QUOTE);
    expect(await submitted(hardLimit)).toMatchObject(closed("billing"));
    expect(await submitted(openaiError(403, null, QUOTE))).toMatchObject(closed("auth"));
    for (const code of ["unknown_parameter", "unsupported_parameter"]) {
      const extra = openaiError(400, code, QUOTE, "enhance");
      expect(await submitted(extra)).toMatchObject(closed("config"));
    }
    expect(await submitted(openaiError(404, null, QUOTE))).toMatchObject(closed("config"));
    expect(await submitted(openaiError(408, null, QUOTE))).toEqual({ kind: "unknown" });
    expect(await submitted(openaiError(503, null, QUOTE))).toEqual({ kind: "unknown" });
    const overloaded = {
      ...openaiError(503, "server_is_overloaded", QUOTE),
      headers: { "retry-after": "9" },
    };
    const rejected = { kind: "rejected", fault: "unavailable", retryAfterMs: 9_000 };
    expect(await submitted(overloaded)).toEqual(rejected);
    const soon = {
      ...REFUSALS.rateLimited,
      headers: { "retry-after-ms": "250", "retry-after": "9" },
    };
    expect(await submitted(soon)).toMatchObject({ kind: "rejected", retryAfterMs: 250 });
    expect(await submitted(openaiError(400, null, "Rejected by the safety system"))).toMatchObject({
      failure: { code: "content_rejected" },
    });
    const picture = openaiError(400, "invalid_value", QUOTE, "input_reference");
    expect(await submitted(picture)).toMatchObject({ failure: { code: "invalid_input" } });
  });
});
