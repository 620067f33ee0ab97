/** The provider for the OpenAI dialect: conformance, and what is the dialect's own. */
import { openaiProvider } from "../../../services/generation/providers/vendors/openai.ts";
import { QUOTE, RESULT, type JobState } from "../../support/fake-upstreams/fake.ts";
import { openaiError, startOpenaiFake } from "../../support/fake-upstreams/openai.ts";
import { conforms } from "./conformance.ts";
import { fileAt, jobWith, never, sentFor } from "./provider-under-test.ts";

const FILE = "https://files.gateway.test/one.png";

const failed = (code: string, message = QUOTE): JobState => ({
  status: "failed",
  error: { code, message },
});
const pictureData = (...data: object[]) => ({ status: 200, json: { created: 1, data } });

const started = conforms({
  name: "the OpenAI dialect",
  create: openaiProvider,
  start: startOpenaiFake,
  refusals: {
    auth: [openaiError(403, null, QUOTE)],
    billing: [
      openaiError(429, "insufficient_quota", QUOTE),
      openaiError(400, "billing_hard_limit_reached", QUOTE),
    ],
    config: [
      openaiError(400, "model_not_found", QUOTE, "model"),
      openaiError(400, "unknown_parameter", QUOTE, "enhance"),
      openaiError(400, "unsupported_parameter", QUOTE, "enhance"),
      openaiError(404, null, QUOTE),
    ],
    content_rejected: [
      openaiError(400, "moderation_blocked", QUOTE),
      openaiError(400, null, "Rejected by the safety system"),
    ],
    invalid_input: [
      openaiError(400, "invalid_value", QUOTE, "seconds"),
      openaiError(400, "invalid_value", QUOTE, "input_reference"),
    ],
    rate_limited: [openaiError(429, "rate_limit_exceeded", QUOTE)],
    unavailable: [openaiError(503, "server_is_overloaded", QUOTE)],
    unknown: [500, 408, 503].map((status) => openaiError(status, null, QUOTE)),
  },
  jobs: {
    job: { kind: "video", model: "sora-2", durationSeconds: 8 },
    states: {
      running: "in_progress",
      succeeded: "completed",
      odd: "post_processing",
      gone: "gone",
    },
    ends: {
      upstream_failed: [failed("server_error"), { status: "failed", error: null, expires_at: 1 }],
      content_rejected: [failed("moderation_blocked"), failed("", "Rejected by our safety system")],
      invalid_input: [
        failed("invalid_input_reference"),
        {
          ...failed(""),
          error: { code: "unsupported_size", type: "invalid_request_error", message: QUOTE },
        },
      ],
      stopped: ["cancelled"],
    },
    find: "unknown",
  },
  image: {
    job: { model: "gpt-image-2" },
    answers: [
      [pictureData(), "upstream_failed"],
      [pictureData({ b64_json: RESULT.toString("base64") }), { content: RESULT }],
      [pictureData({ b64_json: null, url: FILE }), fileAt(FILE)],
    ],
  },
});

describe("the OpenAI dialect's own ways", () => {
  const video = jobWith({ kind: "video", model: "sora-2", durationSeconds: 8 });
  const image = jobWith({ kind: "image", model: "gpt-image-2", width: 1152, height: 864 });

  const picture = (text: string) => ({ content: Buffer.from(text), contentType: "image/webp" });

  test("a video is asked for in JSON, its seconds as a text and its first frame as a data URI", async () => {
    const framed = { imageUrls: ["https://pictures.test/a.png"], pictures: [picture("a frame")] };
    const bytes = Buffer.from("a frame").toString("base64");
    expect(await sentFor(started, { ...video, ...framed, negativePrompt: "rain" })).toEqual({
      model: "sora-2",
      prompt: `${video.prompt}\n\nAvoid: rain`,
      seconds: "8",
      size: "1280x720",
      input_reference: { image_url: `data:image/webp;base64,${bytes}` },
    });
    const parameters = { body: { size: "1792x1024", quality: "pro" } };
    const configured = await sentFor(started, { ...video, parameters });
    expect(configured).toMatchObject(parameters.body);
    expect(configured).not.toHaveProperty("input_reference");
  });

  test("an image is asked for with its size, its number and its end user", async () => {
    expect(await sentFor(started, image)).toEqual({
      model: "gpt-image-2",
      prompt: image.prompt,
      size: "1152x864",
      n: 1,
      safety_identifier: "end-user-1",
    });
  });

  test("progress is told as the upstream has it, and the content lies behind the key", async () => {
    const id = await started.accept(video);
    started.says({ status: "in_progress", progress: 61 }, "completed");
    expect(await started.poll(id)).toMatchObject({ kind: "running", progress: 61 });
    const url = `${started.fake.baseUrl}/videos/${id}/content`;
    const headers = { authorization: `Bearer ${started.fake.key}` };
    const sources = [{ url, configuredOrigin: true, headers }];
    expect(await started.poll(id)).toEqual({ kind: "succeeded", sources });
  });

  test("a download that has expired is expired", async () => {
    const id = await started.accept(video);
    const expires_at = started.clock.now().getTime() / 1000;
    const success = { status: "completed" };
    started.fake.says(id, { ...success, expires_at }, { ...success, expires_at: expires_at + 1 });
    expect(await started.poll(id)).toMatchObject({ failure: { code: "expired" } });
    expect(await started.poll(id)).toMatchObject({ kind: "succeeded" });
  });

  test("a mask is a file beside the pictures, and background and format are the client's", async () => {
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
});
