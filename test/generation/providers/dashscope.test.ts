/** DashScope's provider keeps every promise, and speaks the three dialects. */
import { dashscopeProvider } from "../../../services/generation/providers/vendors/dashscope.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import {
  dashscopeError,
  dashscopeImages,
  startDashscope,
} from "../../support/fake-upstreams/dashscope.ts";
import { QUOTE } from "../../support/fake-upstreams/fake.ts";
import { conforms } from "./conformance.ts";
import { fileAt, jobWith, sentFor } from "./provider-under-test.ts";

const failed = (code: string) => ({ status: "FAILED", code, message: `${QUOTE}: ${code}` });
const picture = Buffer.from("a picture in the answer");
const base64 = picture.toString("base64");
const FILE = "https://files.test/a.png";
const video = { kind: "video", model: "wan2.7-t2v", parameters: { dialect: "B" } } as const;
const image = { kind: "image", model: "qwen-image-3.0" } as const;

const started = conforms({
  name: "dashscope",
  create: dashscopeProvider,
  start: startDashscope,
  refusals: {
    auth: [dashscopeError(401, "InvalidApiKey")],
    billing: [
      dashscopeError(400, "Arrearage", "Access denied, your account is in arrears."),
      dashscopeError(429, "PrepaidBillOverdue"),
      dashscopeError(403, "AccessDenied.Unpurchased"),
      dashscopeError(429, "Throttling.AllocationQuota", "Free allocated quota exceeded."),
    ],
    config: [
      dashscopeError(404, "ModelNotFound", "Model can not be found."),
      dashscopeError(403, "AccessDenied"),
      dashscopeError(403, "Model.AccessDenied"),
      dashscopeError(400, "InvalidParameter", "url error, please check url!"),
    ],
    content_rejected: [
      dashscopeError(400, "DataInspectionFailed", "Input data may contain bad content."),
      dashscopeError(400, "IPInfringementSuspect"),
    ],
    invalid_input: [
      dashscopeError(400, "InvalidParameter", "duration is not supported"),
      dashscopeError(400, "InvalidImage.Resolution"),
      dashscopeError(418, "Brewing"),
    ],
    rate_limited: [
      dashscopeError(429, "Throttling.RateQuota", "Requests rate limit exceeded."),
      dashscopeError(429, "Throttling"),
      dashscopeError(429, "Throttling.AllocationQuota"),
    ],
    unavailable: [dashscopeError(503, "ModelUnavailable")],
    unknown: [
      dashscopeError(500, "InternalError.Algo", "inner error"),
      dashscopeError(503, "ServiceUnavailable"),
      dashscopeError(500, "InvalidParameter"),
    ],
  },
  jobs: {
    job: video,
    states: { running: "RUNNING", succeeded: "SUCCEEDED", odd: "SUSPENDED", gone: "UNKNOWN" },
    ends: {
      upstream_failed: [failed("InternalError.Algo")],
      content_rejected: [failed("DataInspectionFailed")],
      invalid_input: [failed("InvalidURL")],
      stopped: ["CANCELED"],
    },
    results: [[{ status: "SUCCEEDED", video_url: FILE }, [fileAt(FILE)]]],
    find: "unknown",
    cancel: { inTime: "PENDING", tooLate: "RUNNING" },
  },
  image: {
    job: image,
    answers: [
      [{ ...dashscopeError(400, "DataInspectionFailed"), status: 200 }, "content_rejected"],
      [dashscopeImages(), "upstream_failed"],
      [dashscopeImages(FILE), fileAt(FILE)],
      [dashscopeImages(base64, FILE), { content: picture }],
      [dashscopeImages(`data:image/png;base64,${base64}`), { content: picture }],
    ],
  },
});

describe("what dashscope is sent", () => {
  type Sent = { input: { media?: object }; parameters: object };
  const sent = async (model: string, dialect: string, fields: Partial<Job> = {}) => {
    const parameters = { dialect, ...fields.parameters };
    return (await sentFor(started, { model, seed: 7, ...fields, parameters })) as Sent;
  };
  const prompt = "A lighthouse in the morning fog";
  const common = { duration: 5, prompt_extend: true, watermark: false, seed: 7 };
  const imageUrls = ["https://files.test/first.png"];
  const url = "https://files.test/other";

  test("dialect A has a size, or a picture and a resolution", async () => {
    const parameters = { shot_type: "multi" };
    expect(await sent("wan2.6-t2v", "A", { parameters, negativePrompt: "rain" })).toMatchObject({
      input: { prompt, negative_prompt: "rain" },
      parameters: { size: "1280*720", shot_type: "multi" },
    });
    expect(await sent("wan2.6-i2v", "A", { parameters, imageUrls })).toEqual({
      model: "wan2.6-i2v",
      input: { prompt, img_url: imageUrls[0] },
      parameters: { resolution: "720P", ...common, shot_type: "multi" },
    });
  });

  test.each([
    ["B", "wan2.7-i2v", "wan2.7-r2v", {}],
    ["C", "wan3.0-video", "wan3.0-video", { ratio: "9:16" }],
  ])("dialect %s has a resolution, and typed media", async (dialect, framed, referring, ratio) => {
    const upright = { imageUrls, width: 720, height: 1280, aspectRatio: "9:16" };
    expect(await sent(framed, dialect, upright)).toEqual({
      model: framed,
      input: { prompt, media: [{ type: "first_frame", url: imageUrls[0] }] },
      parameters: { resolution: "720P", ...ratio, ...common },
    });
    const parameters = { image_role: "reference_image" };
    expect(await sent(referring, dialect, { parameters, imageUrls })).toEqual({
      model: referring,
      input: { prompt, media: [{ type: "reference_image", url: imageUrls[0] }] },
      parameters: { resolution: "720P", ratio: "16:9", ...common },
    });
    const mediaOf = async (model: string, fields: Partial<Job>) =>
      (await sent(model, dialect, fields)).input.media;
    expect(await mediaOf(framed, { imageUrls, lastImageUrl: url })).toEqual([
      { type: "first_frame", url: imageUrls[0] },
      { type: "last_frame", url },
    ]);
    expect(await mediaOf(framed, { videoUrl: url })).toEqual([{ type: "first_clip", url }]);
    const references = [{ url, role: "subject" }];
    expect(await mediaOf(referring, { references })).toEqual([{ type: "reference_image", url }]);
  });

  test("the client decides about sound, whatever is configured", async () => {
    const { parameters } = await sent("w", "C", { parameters: { audio: true }, audio: false });
    expect(parameters).toMatchObject({ audio: false });
  });

  test("a negative prompt that would be cut, or not be read, goes into the prompt, whole", async () => {
    const [fits, long] = ["é".repeat(500), "é".repeat(501)];
    for (const [model, dialect, negativePrompt, input] of [
      ["wan2.7-t2v", "B", fits, { prompt, negative_prompt: fits }],
      ["wan2.7-t2v", "B", long, { prompt: `${prompt}\n\nAvoid: ${long}` }],
      ["wan3.0-video", "C", "rain", { prompt: `${prompt}\n\nAvoid: rain` }],
    ] as const) {
      expect((await sent(model, dialect, { negativePrompt })).input).toEqual(input);
    }
    const json = JSON.stringify(await sentFor(started, { ...image, negativePrompt: long }));
    expect(json).toContain(`Avoid: ${long}`);
    expect(json).not.toContain("negative_prompt");
  });

  test("a negative prompt that fits nowhere is refused before anything is sent", async () => {
    const message = expect.stringMatching(/^negative_prompt/) as string;
    const failure = { code: "invalid_input", message };
    const tooLong = { prompt: "x".repeat(4_500), negativePrompt: "y".repeat(501) };
    for (const [job, kind] of [
      [video, "refused"],
      [image, "failed"],
    ] as const) {
      expect(await started.send(jobWith({ ...job, ...tooLong }))).toEqual({ kind, failure });
    }
    expect(started.fake.requests).toEqual([]);
  });

  test("an image has one text, its pictures, one result and an asterisk in its size", async () => {
    const content = [{ text: prompt }, { image: imageUrls[0] }];
    expect(await sentFor(started, { ...image, imageUrls, promptExtend: false })).toEqual({
      model: image.model,
      input: { messages: [{ role: "user", content }] },
      parameters: { n: 1, size: "1280*720", prompt_extend: false, watermark: false },
    });
  });

  test("an upstream without a dialect is closed before anything is sent", async () => {
    const answer = await started.submit(jobWith({ kind: "video" }));
    expect(answer).toMatchObject({ kind: "closed", fault: "config" });
    expect(started.fake.requests).toEqual([]);
  });
});
