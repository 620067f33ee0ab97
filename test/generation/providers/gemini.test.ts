/** The provider for the Gemini API: conformance, and what is Google's own. */
import { describe, expect, test } from "vitest";
import { geminiProvider } from "../../../services/generation/providers/vendors/gemini.ts";
import {
  QUOTE,
  RESULT,
  type FakeReply,
  type JobState,
} from "../../support/fake-upstreams/fake-upstream.ts";
import {
  finishedWithout,
  interactionError,
  omniSucceeded,
  pictureAnswer,
  rpcError,
  startGeminiFake,
  stepsWith,
} from "../../support/fake-upstreams/gemini.ts";
import { accepted, jobWith, meaningOf, never, startProvider } from "./provider-under-test.ts";
import { conforms } from "./conformance.ts";
import type { Refusals, Subject } from "./subject.ts";

const failed = (code: string, message: string): JobState => ({
  status: "failed",
  errors: [{ code, message }],
});
const quota = (quotaId: string, ...more: unknown[]): FakeReply =>
  rpcError(429, "RESOURCE_EXHAUSTED", QUOTE, [{ violations: [{ quotaId }] }, ...more]);

const REFUSALS: Refusals = {
  billing: rpcError(400, "FAILED_PRECONDITION", `Billing is not enabled: ${QUOTE}`),
  config: rpcError(404, "NOT_FOUND", QUOTE),
  content: rpcError(400, "INVALID_ARGUMENT", `Blocked by our safety policy: ${QUOTE}`),
  input: rpcError(400, "INVALID_ARGUMENT", `durationSeconds is out of range: ${QUOTE}`),
  rateLimited: quota("GenerateRequestsPerMinutePerProjectPerModel"),
  broken: rpcError(503, "UNAVAILABLE", QUOTE),
};

const SUBJECT: Subject = {
  name: "Gemini",
  create: geminiProvider,
  start: startGeminiFake,
  jobs: [
    {
      job: { kind: "video", model: "gemini-omni-1.2-flash" },
      refusals: REFUSALS,
      states: {
        running: { status: "in_progress" },
        succeeded: { status: "completed" },
        odd: { status: "reflecting" },
        failed: failed("internal", QUOTE),
        contentRejected: failed("blocked", `It violates our policy: ${QUOTE}`),
        badInput: failed("invalid_request", QUOTE),
        stopped: { status: "cancelled" },
        gone: { status: "gone" },
        succeededAt: omniSucceeded,
      },
      find: "unknown",
      cancel: {
        inTime: { status: "in_progress" },
        tooLate: { status: "in_progress", isDeaf: true },
      },
    },
  ],
  image: {
    job: { model: "gemini-3.1-flash-image" },
    refusals: REFUSALS,
    contentRejected: {
      status: 200,
      json: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } },
    },
    empty: { status: 200, json: { candidates: [{ content: { parts: [{ text: QUOTE }] } }] } },
  },
};

conforms(SUBJECT);

describe("Google's own ways", () => {
  const PICTURE = "https://pictures.test/a.png";
  const { aspectRatio: _, ...image } = jobWith({
    kind: "image",
    model: "gemini-3.1-flash-image",
    width: 2304,
    height: 1728,
  });
  const video = jobWith({ kind: "video", model: "gemini-omni-1.2-flash", durationSeconds: 8 });

  const imaged = async (...answers: object[]) => {
    await using started = await startProvider(SUBJECT);
    for (const json of answers) started.fake.once("image", { instead: { status: 200, json } });
    const answer = await started.provider.image?.(image, never);
    const asked = started.fake.requests.length;
    return { asked, end: answer?.kind === "failed" ? answer.failure.code : answer?.kind };
  };

  test("the key goes with a result on Google's own origin, for there it is needed", async () => {
    await using started = await startProvider(SUBJECT);
    const upstreamId = await accepted(started.provider, video);
    started.fake.says(upstreamId, { status: "completed" });
    const polled = await started.provider.poll(upstreamId, never);
    expect(polled).toMatchObject({
      kind: "succeeded",
      sources: [{ configuredOrigin: true, headers: { "x-goog-api-key": started.fake.key } }],
    });
  });

  test("a video is asked for in the background, its first frame as bytes, with what the upstream configures", async () => {
    await using started = await startProvider(SUBJECT);
    const pictures = [{ content: Buffer.from("a frame"), contentType: "image/webp" }];
    const parameters = {
      response_format: { resolution: "1080p" },
      interaction: { service_tier: "standard" },
    };
    const job = { ...video, imageUrls: [PICTURE], pictures, negativePrompt: "rain", parameters };
    await accepted(started.provider, { ...job, seed: 7 });
    expect(started.fake.requests[0]).toMatchObject({ path: "/interactions" });
    expect(started.fake.requests[0]?.json).toEqual({
      model: "gemini-omni-1.2-flash",
      input: [
        { type: "text", text: `${job.prompt}\n\nAvoid: rain` },
        {
          type: "image",
          mime_type: "image/webp",
          data: Buffer.from("a frame").toString("base64"),
        },
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
    await using started = await startProvider(SUBJECT);
    const picture = { content: Buffer.from("a picture"), contentType: "image/png" };
    const references = { imageUrls: [PICTURE, PICTURE], pictures: [picture, picture] };
    await started.provider.image?.({ ...image, ...references, negativePrompt: "rain" }, never);
    expect(started.fake.requests[0]?.json).toMatchObject({
      contents: [
        {
          role: "user",
          parts: [
            { text: `${image.prompt}\n\nAvoid: rain` },
            { inlineData: { mimeType: "image/png" } },
            { inlineData: { mimeType: "image/png" } },
          ],
        },
      ],
      generationConfig: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "4:3", imageSize: "2K" },
      },
    });
    const tierOf = async (width: number, height: number) => {
      await started.provider.image?.({ ...image, width, height }, never);
      return started.fake.requests.at(-1)?.json;
    };
    const config = (imageConfig: object) => ({ generationConfig: { imageConfig } });
    const wide = config({ aspectRatio: "16:9", imageSize: "1K" });
    expect(await tierOf(1280, 720)).toMatchObject(wide);
    const square = config({ aspectRatio: "1:1", imageSize: "4K" });
    expect(await tierOf(4096, 4096)).toMatchObject(square);
  });

  test("a model that draws nothing is asked once more, and not again", async () => {
    const nothing = finishedWithout("NO_IMAGE");
    expect(await imaged(nothing, pictureAnswer())).toEqual({ asked: 2, end: "succeeded" });
    expect(await imaged(nothing, nothing)).toEqual({ asked: 2, end: "upstream_failed" });
    expect(await imaged(finishedWithout("IMAGE_OTHER"), finishedWithout("SAFETY"))).toEqual({
      asked: 2,
      end: "content_rejected",
    });
  });

  test.each([
    ["content_rejected", "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII"],
    ["content_rejected", "IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION"],
    ["upstream_failed", "STOP MAX_TOKENS LANGUAGE MALFORMED_RESPONSE OTHER NO_IMAGE IMAGE_OTHER"],
  ])("an answer without a picture is %s: %s", async (code, reasons) => {
    for (const reason of reasons.split(" ")) {
      const json = finishedWithout(reason);
      expect([reason, (await imaged(json, json)).end]).toEqual([reason, code]);
    }
  });

  test.each<[string, FakeReply, string]>([
    [
      "a model that is overloaded",
      rpcError(503, "UNAVAILABLE", "The model is overloaded."),
      "unavailable",
    ],
    ["high demand", rpcError(503, "UNAVAILABLE", "It is experiencing high demand."), "unavailable"],
    ["a deadline that expired", rpcError(503, "UNAVAILABLE", "Deadline expired."), "unknown"],
    ["a quota of a day", quota("RequestsPerDayPerProject", { retryDelay: "34.4s" }), "billing"],
    ["a region", rpcError(400, "FAILED_PRECONDITION", "User location is not supported."), "config"],
    [
      "a field that it does not know",
      rpcError(400, "INVALID_ARGUMENT", 'Invalid JSON payload received. Unknown name "enhance"'),
      "config",
    ],
    ["a permission", rpcError(403, "PERMISSION_DENIED", QUOTE), "auth"],
  ])("a refusal for %s is understood", async (_what, instead, expected) => {
    await using started = await startProvider(SUBJECT);
    started.fake.once("submit", { instead });
    expect(meaningOf(await started.provider.submit(video, never))).toBe(expected);
  });

  test("a quota of a minute is a rate limit with its delay", async () => {
    await using started = await startProvider(SUBJECT);
    const instead = quota("GenerateRequestsPerMinutePerProject", { retryDelay: "34.4s" });
    started.fake.once("submit", { instead });
    const rejected = { kind: "rejected", fault: "rate_limited", retryAfterMs: 34_400 };
    expect(await started.provider.submit(video, never)).toEqual(rejected);
  });

  test("an interaction's error is told apart by its code and words; one that ends with nothing failed", async () => {
    await using started = await startProvider(SUBJECT);
    const upstreamId = await accepted(started.provider, video);
    const failureOf = async (state: JobState) => {
      started.fake.says(upstreamId, state);
      const polled = await started.provider.poll(upstreamId, never);
      return polled.kind === "failed" ? polled.failure.code : polled.kind;
    };
    const badFrame = failed("invalid_request", "Unable to process input image");
    expect(await failureOf(badFrame)).toBe("invalid_input");
    expect(await failureOf(failed("unavailable", QUOTE))).toBe("upstream_failed");
    const error = { code: 3, message: "violates our usage guidelines" };
    const step = { type: "model_output", error };
    expect(await failureOf({ status: "failed", steps: [step] })).toBe("content_rejected");
    const words = { type: "text", text: "I cannot make that." } as const;
    expect(await failureOf({ status: "completed", steps: stepsWith(words) })).toBe(
      "upstream_failed",
    );
  });

  test("a video is found at its address or in the answer: the last one of the model, not the client's", async () => {
    await using started = await startProvider(SUBJECT);
    const upstreamId = await accepted(started.provider, video);
    const sourcesOf = async (steps: unknown[]) => {
      started.fake.says(upstreamId, { status: "completed", steps });
      const polled = await started.provider.poll(upstreamId, never);
      return polled.kind === "succeeded" ? polled.sources : polled.kind;
    };
    const inline = { type: "video", data: Buffer.from("a video").toString("base64") } as const;
    const linked = { type: "video", uri: "https://files.test/1.mp4" } as const;
    expect(await sourcesOf(stepsWith(linked, inline))).toEqual([
      { content: Buffer.from("a video") },
    ]);
    const sent = { type: "user_input", content: [inline] };
    expect(await sourcesOf([...stepsWith(linked), sent])).toEqual([
      { url: "https://files.test/1.mp4", configuredOrigin: false },
    ]);
  });

  test("an interaction whose id would lead elsewhere is not asked for, and a proxy's 404 ends none", async () => {
    await using started = await startProvider(SUBJECT);
    const json = { id: "../models?key=1", status: "in_progress" };
    started.fake.once("submit", { instead: { status: 200, json } });
    expect(await started.provider.submit(video, never)).toEqual({ kind: "unknown" });
    const upstreamId = await accepted(started.provider, video);
    started.fake.once("poll", { instead: { status: 404, raw: Buffer.from("<html>") } });
    await expect(started.provider.poll(upstreamId, never)).rejects.toThrow("404");
    started.fake.once("submit", { instead: interactionError(400, "invalid_request", QUOTE) });
    expect(await started.provider.submit(video, never)).toMatchObject({
      failure: { code: "invalid_input" },
    });
  });

  test("the picture's bytes are in the answer, after drafts of it", async () => {
    await using started = await startProvider(SUBJECT);
    const picture = async () => started.provider.image?.(image, never);
    const succeeded = (content: Buffer) => ({ kind: "succeeded", sources: [{ content }] });
    expect(await picture()).toEqual(succeeded(RESULT));
    const part = (text: string, thought: boolean) => ({
      inlineData: { mimeType: "image/png", data: Buffer.from(text).toString("base64") },
      ...(thought ? { thought } : {}),
    });
    const answers = (...parts: object[]) =>
      started.fake.once("image", {
        instead: { status: 200, json: { candidates: [{ content: { parts } }] } },
      });
    const drafts = [part("draft", true), part("first", false), part("last", false)];
    answers(...drafts, part("afterthought", true), { text: "Here it is." });
    expect(await picture()).toEqual(succeeded(Buffer.from("last")));
    answers(part("draft", true), part("second draft", true));
    expect(await picture()).toEqual(succeeded(Buffer.from("second draft")));
  });
});
