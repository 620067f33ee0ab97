/** DashScope's provider keeps every promise, and speaks the three dialects. */
import { describe, expect, test } from "vitest";
import { dashscopeProvider } from "../../../services/generation/providers/vendors/dashscope.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import {
  dashscopeError,
  dashscopeImages,
  startDashscope,
} from "../../support/fake-upstreams/dashscope.ts";
import { QUOTE } from "../../support/fake-upstreams/fake-upstream.ts";
import { accepted, jobWith, meaningOf, never, startProvider } from "./provider-under-test.ts";
import { conforms } from "./conformance.ts";
import type { Refusals, Subject } from "./subject.ts";

const refusals: Refusals = {
  billing: dashscopeError(400, "Arrearage", "Access denied, your account is in arrears."),
  config: dashscopeError(404, "ModelNotFound", "Model can not be found."),
  content: dashscopeError(400, "DataInspectionFailed", "Input data may contain bad content."),
  input: dashscopeError(400, "InvalidParameter", "duration is not supported"),
  rateLimited: dashscopeError(429, "Throttling.RateQuota", "Requests rate limit exceeded."),
  broken: dashscopeError(500, "InternalError.Algo", "inner error"),
};
const failed = (code: string) => ({ status: "FAILED", code, message: `${QUOTE}: ${code}` });
const bytes = Buffer.from("a picture in the answer");

const subject: Subject = {
  name: "dashscope",
  create: dashscopeProvider,
  start: startDashscope,
  jobs: [
    {
      job: { kind: "video", model: "wan2.7-t2v", parameters: { dialect: "B" } },
      refusals,
      states: {
        running: { status: "RUNNING" },
        succeeded: { status: "SUCCEEDED" },
        odd: { status: "SUSPENDED" },
        failed: failed("InternalError.Algo"),
        contentRejected: failed("DataInspectionFailed"),
        badInput: failed("InvalidURL"),
        stopped: { status: "CANCELED" },
        gone: { status: "UNKNOWN" },
        succeededAt: (url) => ({ status: "SUCCEEDED", video_url: url }),
      },
      find: "unknown",
      cancel: { inTime: { status: "PENDING" }, tooLate: { status: "RUNNING" } },
    },
  ],
  image: {
    job: { model: "qwen-image-3.0" },
    refusals,
    contentRejected: { ...refusals.content, status: 200 },
    empty: dashscopeImages(),
    alsoSucceeds: [
      { reply: dashscopeImages("https://files.test/a.png"), url: "https://files.test/a.png" },
      { reply: dashscopeImages(bytes.toString("base64"), "https://files.test/2"), content: bytes },
      {
        reply: dashscopeImages(`data:image/png;base64,${bytes.toString("base64")}`),
        content: bytes,
      },
    ],
  },
};

conforms(subject);

describe("what dashscope is sent", () => {
  const sent = async (fields: Partial<Job>) => {
    await using started = await startProvider(subject);
    await accepted(started.provider, jobWith({ kind: "video", seed: 7, ...fields }));
    return started.fake.requests[0]?.json;
  };
  const prompt = "A lighthouse in the morning fog";
  const common = { duration: 5, prompt_extend: true, watermark: false, seed: 7 };
  const imageUrls = ["https://files.test/first.png"];

  test("dialect A has a size, or a picture and a resolution", async () => {
    const parameters = { dialect: "A", shot_type: "multi" };
    expect(await sent({ model: "wan2.6-t2v", parameters, negativePrompt: "rain" })).toEqual({
      model: "wan2.6-t2v",
      input: { prompt, negative_prompt: "rain" },
      parameters: { size: "1280*720", ...common, shot_type: "multi" },
    });
    expect(await sent({ model: "wan2.6-i2v", parameters, imageUrls })).toEqual({
      model: "wan2.6-i2v",
      input: { prompt, img_url: imageUrls[0] },
      parameters: { resolution: "720P", ...common, shot_type: "multi" },
    });
  });

  test.each(["B", "C"])("dialect %s has a resolution, and media", async (dialect) => {
    const framed = dialect === "B" ? {} : { ratio: "9:16" };
    const [framedModel, referenceModel] =
      dialect === "B" ? ["wan2.7-i2v", "wan2.7-r2v"] : ["wan3.0-video", "wan3.0-video"];
    const upright = { width: 720, height: 1280, aspectRatio: "9:16" };
    const framing = { model: framedModel, parameters: { dialect }, imageUrls, ...upright };
    expect(await sent(framing)).toEqual({
      model: framedModel,
      input: { prompt, media: [{ type: "first_frame", url: imageUrls[0] }] },
      parameters: { resolution: "720P", ...framed, ...common },
    });
    const referring = { dialect, image_role: "reference_image" };
    expect(await sent({ model: referenceModel, parameters: referring, imageUrls })).toEqual({
      model: referenceModel,
      input: { prompt, media: [{ type: "reference_image", url: imageUrls[0] }] },
      parameters: { resolution: "720P", ratio: "16:9", ...common },
    });
  });

  test("a last frame, references and a clip are media with their types", async () => {
    const url = "https://files.test/other";
    const mediaOf = async (model: string, dialect: string, fields: Partial<Job>) =>
      ((await sent({ model, parameters: { dialect }, ...fields })) as { input: { media: object } })
        .input.media;
    for (const [model, dialect] of [
      ["wan2.7-i2v", "B"],
      ["wan3.0-video", "C"],
    ] as const) {
      expect(await mediaOf(model, dialect, { imageUrls, lastImageUrl: url })).toEqual([
        { type: "first_frame", url: imageUrls[0] },
        { type: "last_frame", url },
      ]);
      expect(await mediaOf(model, dialect, { videoUrl: url })).toEqual([
        { type: "first_clip", url },
      ]);
    }
    const references = [{ url, role: "subject" }];
    for (const [model, dialect] of [
      ["wan2.7-r2v", "B"],
      ["wan3.0-video", "C"],
    ] as const) {
      expect(await mediaOf(model, dialect, { references })).toEqual([
        { type: "reference_image", url },
      ]);
    }
    const parameters = { dialect: "C", audio: true };
    expect(await sent({ model: "wan3.0-video", parameters, audio: false })).toMatchObject({
      parameters: { audio: false },
    });
  });

  test("a negative prompt that would be cut, or not be read, goes into the prompt, whole", async () => {
    const inputOf = async (negativePrompt: string, model = "wan2.7-t2v", dialect = "B") => {
      const json = await sent({ model, parameters: { dialect }, negativePrompt });
      return (json as { input: object }).input;
    };
    const [fits, long] = ["é".repeat(500), "é".repeat(501)];
    expect(await inputOf(fits)).toEqual({ prompt, negative_prompt: fits });
    expect(await inputOf(long)).toEqual({
      prompt: `${prompt}

Avoid: ${long}`,
    });
    expect(await inputOf("rain", "wan3.0-video", "C")).toEqual({
      prompt: `${prompt}\n\nAvoid: rain`,
    });
    await using started = await startProvider(subject);
    const image = jobWith({ kind: "image", model: "qwen-image-3.0", negativePrompt: long });
    await started.provider.image?.(image, never);
    const [request] = started.fake.requests;
    expect(JSON.stringify(request?.json)).toContain(`Avoid: ${long}`);
    expect(JSON.stringify(request?.json)).not.toContain("negative_prompt");
  });

  test("a negative prompt that fits nowhere is refused before anything is sent", async () => {
    await using started = await startProvider(subject);
    const failure = {
      code: "invalid_input",
      message: expect.stringMatching(/^negative_prompt/) as string,
    };
    const tooLong = { prompt: "x".repeat(4_500), negativePrompt: "y".repeat(501) };
    const video = { kind: "video", model: "wan2.7-t2v", parameters: { dialect: "B" } } as const;
    const refusal = await started.provider.submit(jobWith({ ...video, ...tooLong }), never);
    expect(refusal).toEqual({ kind: "refused", failure });
    const image = jobWith({ kind: "image", model: "qwen-image-3.0", ...tooLong });
    expect(await started.provider.image?.(image, never)).toEqual({ kind: "failed", failure });
    expect(started.fake.requests).toEqual([]);
  });

  test("an image has one text, its pictures, one result and an asterisk in its size", async () => {
    await using started = await startProvider(subject);
    const job = jobWith({ kind: "image", model: "qwen-image-3.0", imageUrls, promptExtend: false });
    await started.provider.image?.(job, never);
    expect(started.fake.requests[0]?.json).toEqual({
      model: "qwen-image-3.0",
      input: {
        messages: [{ role: "user", content: [{ text: prompt }, { image: imageUrls[0] }] }],
      },
      parameters: { n: 1, size: "1280*720", prompt_extend: false, watermark: false },
    });
  });

  test("an upstream without a dialect is closed before anything is sent", async () => {
    await using started = await startProvider(subject);
    const answer = await started.provider.submit(jobWith({ kind: "video" }), never);
    expect(answer).toMatchObject({ kind: "closed", fault: "config" });
    expect(started.fake.requests).toEqual([]);
  });
});

describe("what dashscope's codes mean", () => {
  test.each([
    [401, "InvalidApiKey", "", "auth"],
    [429, "PrepaidBillOverdue", "", "billing"],
    [403, "AccessDenied.Unpurchased", "", "billing"],
    [403, "AccessDenied", "", "config"],
    [403, "Model.AccessDenied", "", "config"],
    [400, "InvalidParameter", "url error, please check url!", "config"],
    [429, "Throttling", "", "rate_limited"],
    [429, "Throttling.AllocationQuota", "", "rate_limited"],
    [429, "Throttling.AllocationQuota", "Free allocated quota exceeded.", "billing"],
    [400, "IPInfringementSuspect", "", "content_rejected"],
    [400, "InvalidImage.Resolution", "", "invalid_input"],
    [503, "ModelUnavailable", "", "unavailable"],
    [503, "ServiceUnavailable", "", "unknown"],
    [500, "InvalidParameter", "", "unknown"],
    [418, "Brewing", "", "invalid_input"],
  ])("%i %s %s", async (status, code, message, expected) => {
    await using started = await startProvider(subject);
    started.fake.once("submit", { instead: dashscopeError(status, code, message) });
    const job = jobWith({ kind: "video", model: "wan2.7-t2v", parameters: { dialect: "B" } });
    expect(meaningOf(await started.provider.submit(job, never))).toBe(expected);
  });

  test("a task is gone a day after it was made", async () => {
    await using started = await startProvider(subject);
    const job = jobWith({ kind: "video", model: "wan2.7-t2v", parameters: { dialect: "B" } });
    const upstreamId = await accepted(started.provider, job);
    started.clock.advance(24 * 60 * 60 * 1000 + 1);
    expect(await started.provider.poll(upstreamId, never)).toEqual({ kind: "gone" });
  });
});
