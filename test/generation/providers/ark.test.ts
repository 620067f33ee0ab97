/** Ark's provider keeps every promise, finds its own lost task, and deletes no result. */
import { addMs } from "#runtime/clock.ts";
import { arkProvider } from "../../../services/generation/providers/vendors/ark.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import { arkError, arkImages, startArk } from "../../support/fake-upstreams/ark.ts";
import { QUOTE } from "../../support/fake-upstreams/fake.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { conforms } from "./conformance.ts";
import { fileAt, jobWith, never, sentFor } from "./provider-under-test.ts";

const failed = (code: string) => ({
  status: "failed",
  error: { code, message: `${QUOTE}: ${code}` },
});
const bytes = Buffer.from("a picture in the answer");
const FILE = "https://files.test/a.jpg";
const video = { kind: "video", model: "dreamina-seedance-2-0-260128" } as const;
const image = { kind: "image", model: "dola-seedream-5-0-pro-260628" } as const;

const started = conforms({
  name: "ark",
  create: arkProvider,
  start: startArk,
  refusals: {
    billing: [
      arkError(403, "AccountOverdueError", "the account has an overdue balance"),
      arkError(403, "OperationDenied.ServiceOverdue"),
      arkError(429, "SetLimitExceeded"),
      arkError(429, "QuotaExceeded", "the free trial quota is used up"),
    ],
    config: [
      arkError(404, "InvalidEndpointOrModel.NotFound", "the model does not exist"),
      arkError(403, "AccessDenied"),
      arkError(404, "ModelNotOpen"),
    ],
    content_rejected: [
      arkError(400, "InputTextSensitiveContentDetected", "sensitive information"),
      arkError(400, "InputImageSensitiveContentDetected.PrivacyInformation"),
      arkError(400, "InputTextSensitiveContentDetected", QUOTE, "seed"),
    ],
    invalid_input: [
      arkError(400, "InvalidParameter.TaskTypeConstraint", "not for this task type"),
      arkError(400, "InvalidImageURL.EmptyURL"),
      // A field that a client sent.
      ...["content[1].image_url", "text", "image_url", "ratio", "seed", ""].map((field) =>
        arkError(400, "InvalidParameter", QUOTE, field),
      ),
    ],
    rate_limited: [
      arkError(429, "ModelAccountRpmRateLimitExceeded", "too many requests"),
      arkError(429, "QuotaExceeded", "exceeded the quota"),
      arkError(429, "ServerOverloaded"),
    ],
    unavailable: [arkError(400, "InvalidEndpoint.ClosedEndpoint")],
    unknown: [arkError(500, "InternalServiceError", "unexpected")],
  },
  jobs: {
    job: video,
    states: { running: "running", succeeded: "succeeded", odd: "reticulating", gone: "gone" },
    ends: {
      upstream_failed: [failed("InternalServiceError")],
      content_rejected: [failed("OutputVideoSensitiveContentDetected")],
      invalid_input: [failed("InvalidParameter")],
      upstream_timeout: ["expired"],
      stopped: ["cancelled"],
    },
    results: [[{ status: "succeeded", content: { video_url: FILE } }, [fileAt(FILE)]]],
    find: "found",
    cancel: { inTime: "queued", tooLate: "running" },
  },
  image: {
    job: image,
    answers: [
      [arkImages({ error: { code: "OutputImageSensitiveContentDetected" } }), "content_rejected"],
      [arkImages(), "upstream_failed"],
      [arkImages({ url: FILE, size: "2048x2048" }), fileAt(FILE)],
      [arkImages({ b64_json: bytes.toString("base64") }, { url: FILE }), { content: bytes }],
    ],
  },
  callbacks: {
    about: (id) => ({ body: Buffer.from(JSON.stringify({ id, status: "succeeded" })) }),
    nameless: ['{"status":"succeeded"}', '{"id":{"$ne":null}}'],
  },
});

const SETTINGS = { baseUrl: "https://ark.test/api/v3", key: "key", clock: manualClock() };

describe("what ark is sent", () => {
  const sent = (fields: Partial<Job>) => sentFor(started, { ...video, ...fields });
  const prompt = "A lighthouse in the morning fog";
  const imageUrls = ["https://files.test/first.png"];
  const text = { type: "text", text: prompt };
  const picture = (role: string, url = imageUrls[0]) => {
    return { type: "image_url", image_url: { url }, role };
  };

  test("a text alone is a task with all that the vendor would choose itself", async () => {
    expect(await sent({ seed: 7 })).toEqual({
      model: video.model,
      content: [text],
      ratio: "16:9",
      duration: 5,
      seed: 7,
      resolution: "720p",
      watermark: false,
      execution_expires_after: 3600,
      safety_identifier: "end-user-1",
    });
  });

  test("a negative prompt and sound are the client's; a lost task is known by its own seed", async () => {
    const parameters = { generate_audio: false };
    expect(await sent({ negativePrompt: "rain", parameters })).toMatchObject({
      content: [{ text: `${prompt}\n\nAvoid: rain` }],
      generate_audio: false,
    });
    expect(await sent({ audio: false, parameters: { generate_audio: true } })).toMatchObject({
      generate_audio: false,
    });
    expect(await sent({ token: "other" })).not.toEqual(await sent({}));
    expect(await sent({ seed: 7 })).toMatchObject({ seed: 7 });
    expect(await sent({ seed: 7, parameters: { seed: null } })).not.toHaveProperty("seed");
  });

  test("pictures and a clip have their roles, and only a first frame decides the ratio", async () => {
    const url = "https://files.test/other";
    const reference = picture("reference_image");
    const clip = { type: "video_url", video_url: { url }, role: "reference_video" };
    const cases: [Partial<Job>, string, object[]][] = [
      [
        { imageUrls, lastImageUrl: url },
        "adaptive",
        [picture("first_frame"), picture("last_frame", url)],
      ],
      [{ imageUrls, parameters: { image_role: "reference_image" } }, "16:9", [reference]],
      [{ references: [{ url: imageUrls[0] ?? "", role: "subject" }] }, "16:9", [reference]],
      [{ videoUrl: url }, "16:9", [clip]],
    ];
    for (const [fields, ratio, media] of cases) {
      expect(await sent(fields)).toMatchObject({ ratio, content: [text, ...media] });
    }
    expect(await sent({ width: 1920, height: 1080 })).toMatchObject({ resolution: "1080p" });
  });

  test("a model is trusted with sound and formats where the upstreams file has them", () => {
    const fields = (kind: Job["kind"], parameters: object) =>
      Object.keys(arkProvider(SETTINGS).carries?.(kind, { ...parameters }) ?? {});
    expect(fields("video", {})).not.toContain("audio");
    expect(fields("video", { generate_audio: false })).toContain("audio");
    expect(fields("video", { resolution: "1080p", seed: null })).not.toContain("resolution");
    expect(fields("video", { seed: null, image_role: "reference_image" })).toEqual([
      "resolution",
      "reference_images",
      "video_url",
    ]);
    expect(fields("image", {})).toEqual(["seed"]);
    expect(fields("image", { output_format: "png" })).toEqual(["seed", "output_format"]);
  });

  test("an image has its size, its pictures and nothing that only some models take", async () => {
    const pictures = [...imageUrls, "https://files.test/second.png"];
    const parameters = { output_format: "png" };
    const common = { model: image.model, prompt, size: "1280x720", response_format: "url" };
    const cases: [Partial<Job>, object][] = [
      [{ imageUrls }, { image: imageUrls[0], seed: 3 }],
      [
        { imageUrls: pictures, parameters },
        { ...parameters, image: pictures, seed: 3 },
      ],
      [{ parameters: { seed: null } }, {}],
      [
        { outputFormat: "jpeg", parameters },
        { output_format: "jpeg", seed: 3 },
      ],
    ];
    for (const [fields, more] of cases) {
      const request = await sentFor(started, { ...image, seed: 3, ...fields });
      expect(request).toEqual({ ...common, watermark: false, ...more });
    }
  });
});

describe("a lost submit at ark", () => {
  const lose = async (count: number, fields: Partial<Job> = {}) => {
    const job = jobWith({ ...video, submittedAt: started.clock.now(), ...fields });
    started.fake.once("submit", { afterwards: "drop" });
    await started.submit(job);
    // Planted, not submitted: the same request with other seeds.
    const [lost] = started.fake.jobs;
    for (let seed = 1; lost && seed <= count; seed++) {
      const request = { ...lost.request, json: { ...(lost.request.json as object), seed } };
      started.fake.jobs.push({ ...lost, id: `cgt-${seed}`, request });
    }
    const found = await started.provider.find?.(job, never);
    const yesterday = addMs(job.submittedAt, -24 * 60 * 60_000);
    const early = await started.provider.find?.({ ...job, submittedAt: yesterday }, never);
    return { found, early, id: started.fake.jobs[0]?.id };
  };

  test("is found among many equal ones, on any page, within its time alone", async () => {
    const { found, early, id } = await lose(120);
    expect(found).toBe(id);
    expect(early).toBeUndefined();
  });

  test("is not guessed at where the seed was the client's, or the model takes none", async () => {
    expect((await lose(0, { seed: 7 })).found).toBeUndefined();
    expect((await lose(0, { parameters: { seed: null } })).found).toBeUndefined();
  });
});

describe("what ark's answers mean", () => {
  test("a field that no client sent is the configuration's fault, and named", async () => {
    for (const param of ["watermark", "service_tier", "model"]) {
      const instead = arkError(400, "InvalidParameter", QUOTE, param);
      started.fake.once("submit", { instead });
      const detail = expect.stringContaining(param) as string;
      const answer = await started.submit(jobWith(video));
      expect(answer).toEqual({ kind: "closed", fault: "config", detail });
    }
  });
});
