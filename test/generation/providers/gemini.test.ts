/** The provider for the Gemini API: conformance, and what is Google's own. */
import { geminiProvider } from "../../../services/generation/providers/vendors/gemini.ts";
import { QUOTE, RESULT, type FakeReply, type JobState } from "../../support/fake-upstreams/fake.ts";
import {
  finishedWithout,
  interactionError,
  omniSucceeded,
  pictureAnswer,
  rpcError,
  startGeminiFake,
  stepsWith,
} from "../../support/fake-upstreams/gemini.ts";
import { conforms } from "./conformance.ts";
import { fileAt, jobWith, meaningOf, sentFor } from "./provider-under-test.ts";

const FILE = "https://files.test/1.mp4";
const failed = (code: string, message = QUOTE): JobState => ({
  status: "failed",
  errors: [{ code, message }],
});
const guideline = { code: 3, message: "violates our guidelines" };
const made = (...content: object[]) => ({ status: "completed", steps: stepsWith(...content) });
const quota = (quotaId: string, ...more: unknown[]): FakeReply =>
  rpcError(429, "RESOURCE_EXHAUSTED", QUOTE, [{ violations: [{ quotaId }] }, ...more]);
const invalid = (message: string) => rpcError(400, "INVALID_ARGUMENT", `${message}: ${QUOTE}`);
const down = (message: string) => rpcError(503, "UNAVAILABLE", message);
const inPrecondition = (message: string) => rpcError(400, "FAILED_PRECONDITION", message);
const ok = (json: object): FakeReply => ({ status: 200, json });
const part = (text: string, more: object = {}) => ({
  inlineData: { mimeType: "image/png", data: Buffer.from(text).toString("base64") },
  ...more,
});
const drawn = (...parts: object[]) => ok({ candidates: [{ content: { parts } }] });
const draft = part("draft", { thought: true });
const linked = { type: "video", uri: FILE };
const inline = { type: "video", data: Buffer.from("a video").toString("base64") };

/** Why an answer has no picture. */
const WITHOUT = {
  content_rejected:
    "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION",
  upstream_failed: "STOP MAX_TOKENS LANGUAGE MALFORMED_RESPONSE OTHER NO_IMAGE IMAGE_OTHER",
};

const started = conforms({
  name: "Gemini",
  create: geminiProvider,
  start: startGeminiFake,
  refusals: {
    auth: [rpcError(403, "PERMISSION_DENIED", QUOTE)],
    billing: [
      inPrecondition(`Billing is not enabled: ${QUOTE}`),
      quota("RequestsPerDayPerProject", { retryDelay: "34.4s" }),
    ],
    config: [
      rpcError(404, "NOT_FOUND", QUOTE),
      inPrecondition("User location is not supported."),
      invalid('Invalid JSON payload received. Unknown name "enhance"'),
    ],
    content_rejected: [invalid("Blocked by our safety policy")],
    invalid_input: [
      invalid("durationSeconds is out of range"),
      interactionError(400, "invalid_request", QUOTE),
    ],
    rate_limited: [quota("GenerateRequestsPerMinutePerProjectPerModel")],
    unavailable: [down("The model is overloaded."), down("It is experiencing high demand.")],
    unknown: [down(QUOTE), down("Deadline expired.")],
  },
  jobs: {
    job: { kind: "video", model: "gemini-omni-1.2-flash" },
    states: { running: "in_progress", succeeded: "completed", odd: "reflecting", gone: "gone" },
    ends: {
      upstream_failed: [
        failed("internal"),
        failed("unavailable"),
        made({ type: "text", text: "I cannot make that." }),
        "requires_action",
        "requires_continuation",
        "incomplete",
        "budget_exceeded",
      ],
      content_rejected: [
        failed("blocked", `It violates our policy: ${QUOTE}`),
        { status: "failed", steps: [{ type: "model_output", error: guideline }] },
      ],
      invalid_input: [
        failed("invalid_request"),
        failed("invalid_request", "Unable to process input image"),
      ],
      stopped: ["cancelled"],
    },
    results: [
      [omniSucceeded(FILE), [fileAt(FILE)]],
      [made(linked, inline), [{ content: Buffer.from("a video") }]],
      // The client's own is none.
      [
        { ...made(), steps: [...stepsWith(linked), { type: "user_input", content: [inline] }] },
        [fileAt(FILE)],
      ],
    ],
    find: "unknown",
    cancel: { inTime: "in_progress", tooLate: { status: "in_progress", isDeaf: true } },
  },
  image: {
    job: { model: "gemini-3.1-flash-image" },
    answers: [
      [ok({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } }), "content_rejected"],
      [drawn({ text: QUOTE }), "upstream_failed"],
      ...Object.entries(WITHOUT).flatMap(([meaning, reasons]) =>
        reasons
          .split(" ")
          .map((reason): [FakeReply, string] => [ok(finishedWithout(reason)), meaning]),
      ),
      [ok(pictureAnswer()), { content: RESULT }],
      // The last one that is no draft, if there is one.
      [
        drawn(draft, part("first"), part("last"), draft, { text: "Here it is." }),
        { content: Buffer.from("last") },
      ],
      [
        drawn(draft, part("second draft", { thought: true })),
        { content: Buffer.from("second draft") },
      ],
    ],
  },
});

describe("Google's own ways", () => {
  const PICTURE = "https://pictures.test/a.png";
  const model = "gemini-3.1-flash-image";
  const image = jobWith({ kind: "image", model, width: 2304, height: 1728 });
  const video = jobWith({ kind: "video", model: "gemini-omni-1.2-flash", durationSeconds: 8 });

  test("a video is asked for in the background, its first frame as bytes, with what the upstream configures", async () => {
    const [frame, mime_type] = [Buffer.from("a frame"), "image/webp"];
    const pictures = [{ content: frame, contentType: mime_type }];
    const response_format = { resolution: "1080p" };
    const parameters = { response_format, interaction: { service_tier: "standard" } };
    const framed = { imageUrls: [PICTURE], pictures, negativePrompt: "rain", parameters, seed: 7 };
    expect(await sentFor(started, { ...video, ...framed })).toEqual({
      model: "gemini-omni-1.2-flash",
      input: [
        { type: "text", text: `${video.prompt}\n\nAvoid: rain` },
        { type: "image", mime_type, data: frame.toString("base64") },
      ],
      background: true,
      store: true,
      response_format: {
        type: "video",
        aspect_ratio: "16:9",
        duration: "8s",
        resolution: "1080p",
        delivery: "uri",
      },
      generation_config: { seed: 7 },
      service_tier: "standard",
    });
  });

  test("an image's size becomes a ratio and a tier, and its references are sent as bytes", async () => {
    const picture = { content: Buffer.from("a picture"), contentType: "image/png" };
    const references = { imageUrls: [PICTURE, PICTURE], pictures: [picture, picture] };
    const text = `${image.prompt}\n\nAvoid: rain`;
    const inlineData = { mimeType: "image/png" };
    const sent = await sentFor(started, { ...image, ...references, negativePrompt: "rain" });
    expect(sent).toMatchObject({
      contents: [{ role: "user", parts: [{ text }, { inlineData }, { inlineData }] }],
      generationConfig: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "4:3", imageSize: "2K" },
      },
    });
    for (const [width, height, imageConfig] of [
      [1280, 720, { aspectRatio: "16:9", imageSize: "1K" }],
      [4096, 4096, { aspectRatio: "1:1", imageSize: "4K" }],
    ] as const) {
      const request = await sentFor(started, { ...image, width, height });
      expect(request).toMatchObject({ generationConfig: { imageConfig } });
    }
  });

  test.each([
    [["NO_IMAGE"], "succeeded"],
    [["NO_IMAGE", "NO_IMAGE"], "upstream_failed"],
    [["IMAGE_OTHER", "SAFETY"], "content_rejected"],
  ])("a model that draws nothing is asked once more, and not again: %j", async (reasons, end) => {
    for (const reason of reasons) {
      started.fake.once("image", { instead: ok(finishedWithout(reason)) });
    }
    expect(meaningOf(await started.send(image))).toBe(end);
    expect(started.fake.requests).toHaveLength(2);
  });

  test("a quota of a minute is a rate limit with its delay", async () => {
    const delays = { "34.4s": 34_400, "0s": undefined, "-5s": undefined, "1e400s": Infinity };
    for (const [retryDelay, retryAfterMs] of Object.entries(delays)) {
      const instead = quota("GenerateRequestsPerMinutePerProject", { retryDelay });
      started.fake.once("submit", { instead });
      const rejected = { kind: "rejected", fault: "rate_limited", retryAfterMs };
      expect(await started.submit(video)).toEqual(rejected);
    }
  });

  test("an interaction whose id would lead elsewhere is not asked for, and a proxy's 404 ends none", async () => {
    const json = { id: "../models?key=1", status: "in_progress" };
    started.fake.once("submit", { instead: { status: 200, json } });
    expect(await started.submit(video)).toEqual({ kind: "unknown" });
    const upstreamId = await started.accept(video);
    const foreign = [{ raw: Buffer.from("<html>") }, { json: { error: { message: "no route" } } }];
    for (const body of foreign) {
      started.fake.once("poll", { instead: { status: 404, ...body } });
      await expect(started.poll(upstreamId)).rejects.toThrow("404");
    }
  });
});
