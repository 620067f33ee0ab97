/** Ark's provider keeps every promise, finds its own lost task, and deletes no result. */
import { describe, expect, test } from "vitest";
import { arkProvider } from "../../../services/generation/providers/vendors/ark.ts";
import type { Job } from "../../../services/generation/providers/provider.ts";
import { arkError, arkImages, startArk } from "../../support/fake-upstreams/ark.ts";
import { QUOTE } from "../../support/fake-upstreams/fake-upstream.ts";
import { manualClock } from "../../support/manual-clock.ts";
import {
  accepted,
  endOf,
  jobWith,
  meaningOf,
  never,
  startProvider,
} from "./provider-under-test.ts";
import { conforms } from "./conformance.ts";
import type { Refusals, Subject } from "./subject.ts";

const refusals: Refusals = {
  billing: arkError(403, "AccountOverdueError", "the account has an overdue balance"),
  config: arkError(404, "InvalidEndpointOrModel.NotFound", "the model does not exist"),
  content: arkError(400, "InputTextSensitiveContentDetected", "sensitive information"),
  input: arkError(400, "InvalidParameter.TaskTypeConstraint", "not for this task type"),
  rateLimited: arkError(429, "ModelAccountRpmRateLimitExceeded", "too many requests"),
  broken: arkError(500, "InternalServiceError", "unexpected"),
};
const failed = (code: string) => ({
  status: "failed",
  error: { code, message: `${QUOTE}: ${code}` },
});
const bytes = Buffer.from("a picture in the answer");
const video = { kind: "video", model: "dreamina-seedance-2-0-260128" } as const;
const callbackOf = (text: string) => ({ headers: {}, body: Buffer.from(text) });

const subject: Subject = {
  name: "ark",
  create: arkProvider,
  start: (clock) => startArk(clock),
  jobs: [
    {
      job: video,
      refusals,
      states: {
        running: { status: "running" },
        succeeded: { status: "succeeded" },
        odd: { status: "reticulating" },
        failed: failed("InternalServiceError"),
        contentRejected: failed("OutputVideoSensitiveContentDetected"),
        badInput: failed("InvalidParameter"),
        stopped: { status: "cancelled" },
        gone: { status: "gone" },
        succeededAt: (url) => ({ status: "succeeded", content: { video_url: url } }),
      },
      find: "found",
      cancel: { inTime: { status: "queued" }, tooLate: { status: "running" } },
    },
  ],
  image: {
    job: { model: "dola-seedream-5-0-pro-260628" },
    refusals,
    contentRejected: arkImages({ error: { code: "OutputImageSensitiveContentDetected" } }),
    empty: arkImages(),
    alsoSucceeds: [
      {
        reply: arkImages({ url: "https://files.test/a.jpg", size: "2048x2048" }),
        url: "https://files.test/a.jpg",
      },
      {
        reply: arkImages({ b64_json: bytes.toString("base64") }, { url: "https://files.test/2" }),
        content: bytes,
      },
    ],
  },
  callbacks: {
    genuine: (_, id) => callbackOf(JSON.stringify({ id, status: "succeeded" })),
    false: {
      "not JSON": () => callbackOf("<html>"),
      "without an id": () => callbackOf('{"status":"succeeded"}'),
      "of another shape": () => callbackOf('{"id":{"$ne":null}}'),
    },
  },
};

conforms(subject);

const SETTINGS = { baseUrl: "https://ark.test/api/v3", key: "key", clock: manualClock() };

describe("what ark is sent", () => {
  const sent = async (fields: Partial<Job>) => {
    await using started = await startProvider(subject);
    await accepted(started.provider, jobWith({ ...video, ...fields }));
    return started.fake.requests[0]?.json;
  };
  const prompt = "A lighthouse in the morning fog";
  const imageUrls = ["https://files.test/first.png"];

  test("a task has its text, its tier, its ratio, a seed of its own and the end user", async () => {
    expect(await sent({ negativePrompt: "rain", parameters: { generate_audio: false } })).toEqual({
      model: video.model,
      content: [{ type: "text", text: `${prompt}\n\nAvoid: rain` }],
      resolution: "720p",
      ratio: "16:9",
      duration: 5,
      seed: expect.any(Number) as number,
      watermark: false,
      generate_audio: false,
      execution_expires_after: 3600,
      safety_identifier: "end-user-1",
    });
    const [one, again, other] = [await sent({}), await sent({}), await sent({ token: "other" })];
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    expect(await sent({ seed: 7 })).toMatchObject({ seed: 7 });
    expect(await sent({ seed: 7, parameters: { seed: null } })).not.toHaveProperty("seed");
  });

  test("a first frame decides the ratio; a reference does not", async () => {
    const picture = { type: "image_url", image_url: { url: imageUrls[0] } };
    expect(await sent({ imageUrls })).toMatchObject({
      ratio: "adaptive",
      content: [{ type: "text" }, { ...picture, role: "first_frame" }],
    });
    const parameters = { image_role: "reference_image" };
    expect(await sent({ imageUrls, parameters })).toMatchObject({
      ratio: "16:9",
      content: [{ type: "text" }, { ...picture, role: "reference_image" }],
    });
  });

  test("a last frame, references and a video have their roles, and the client decides about sound", async () => {
    const url = "https://files.test/other";
    const parameters = { generate_audio: true };
    expect(await sent({ imageUrls, lastImageUrl: url, audio: false, parameters })).toMatchObject({
      generate_audio: false,
      ratio: "adaptive",
      content: [
        { type: "text" },
        { type: "image_url", image_url: { url: imageUrls[0] }, role: "first_frame" },
        { type: "image_url", image_url: { url }, role: "last_frame" },
      ],
    });
    expect(await sent({ references: [{ url, role: "subject" }] })).toMatchObject({
      ratio: "16:9",
      content: [{ type: "text" }, { image_url: { url }, role: "reference_image" }],
    });
    expect(await sent({ videoUrl: url, width: 1920, height: 1080 })).toMatchObject({
      resolution: "1080p",
      content: [
        { type: "text" },
        { type: "video_url", video_url: { url }, role: "reference_video" },
      ],
    });
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
    await using started = await startProvider(subject);
    const job = jobWith({ kind: "image", model: "dola-seedream-5-0-pro-260628", seed: 3 });
    const pictures = [...imageUrls, "https://files.test/second.png"];
    const parameters = { output_format: "png" };
    const made = [
      await started.provider.image?.({ ...job, imageUrls }, never),
      await started.provider.image?.({ ...job, imageUrls: pictures, parameters }, never),
      await started.provider.image?.({ ...job, parameters: { seed: null } }, never),
      await started.provider.image?.({ ...job, outputFormat: "jpeg", parameters }, never),
    ];
    expect(made.map((answer) => answer?.kind)).toEqual(Array(4).fill("succeeded"));
    const common = {
      model: "dola-seedream-5-0-pro-260628",
      prompt,
      size: "1280x720",
      response_format: "url",
      watermark: false,
    };
    expect(started.fake.requests.map(({ json }) => json)).toEqual([
      { ...common, image: imageUrls[0], seed: 3 },
      { ...common, ...parameters, image: pictures, seed: 3 },
      common,
      { ...common, output_format: "jpeg", seed: 3 },
    ]);
  });
});

describe("a lost submit at ark", () => {
  const lose = async (count: number, lists = { seeds: true }, fields: Partial<Job> = {}) => {
    await using started = await startProvider({
      ...subject,
      start: (clock) => startArk(clock, lists),
    });
    const job = jobWith({ ...video, ...fields });
    started.fake.once("submit", { afterwards: "drop" });
    const sentAt = started.clock.now();
    await started.provider.submit(job, never);
    // Planted, not submitted: the same request with other seeds.
    const [lost] = started.fake.jobs;
    for (let seed = 1; lost && seed <= count; seed++) {
      const request = { ...lost.request, json: { ...(lost.request.json as object), seed } };
      started.fake.jobs.push({ ...lost, id: `cgt-${seed}`, request });
    }
    const found = await started.provider.find({ job, sentAt }, never);
    const yesterday = new Date(sentAt.getTime() - 24 * 60 * 60_000);
    const early = await started.provider.find({ job, sentAt: yesterday }, never);
    return { found, early, id: started.fake.jobs[0]?.id };
  };

  test("is found among many equal ones, on any page, within its time alone", async () => {
    const { found, early, id } = await lose(120);
    expect(found).toEqual({ kind: "found", upstreamId: id });
    expect(early).toEqual({ kind: "unknown" });
  });

  test("is found where lists leave the seed out, unless there are too many to ask", async () => {
    const { found, id } = await lose(2, { seeds: false });
    expect(found).toEqual({ kind: "found", upstreamId: id });
    expect((await lose(20, { seeds: false })).found).toEqual({ kind: "unknown" });
  });

  test("is not guessed at where the seed was the client's, or the model takes none", async () => {
    expect((await lose(0, { seeds: true }, { seed: 7 })).found).toEqual({ kind: "unknown" });
    const parameters = { seed: null };
    expect((await lose(0, { seeds: true }, { parameters })).found).toEqual({ kind: "unknown" });
  });
});

describe("what ark's answers mean", () => {
  test.each([
    [403, "OperationDenied.ServiceOverdue", "", "billing"],
    [429, "SetLimitExceeded", "", "billing"],
    [429, "QuotaExceeded", "the free trial quota is used up", "billing"],
    [429, "QuotaExceeded", "exceeded the quota", "rate_limited"],
    [403, "AccessDenied", "", "config"],
    [404, "ModelNotOpen", "", "config"],
    [400, "InvalidEndpoint.ClosedEndpoint", "", "unavailable"],
    [429, "ServerOverloaded", "", "rate_limited"],
    [400, "InvalidImageURL.EmptyURL", "", "invalid_input"],
    [400, "InputImageSensitiveContentDetected.PrivacyInformation", "", "content_rejected"],
  ])("%i %s %s", async (status, code, message, expected) => {
    await using started = await startProvider(subject);
    started.fake.once("submit", { instead: arkError(status, code, message) });
    expect(meaningOf(await started.provider.submit(jobWith(video), never))).toBe(expected);
  });

  test("a field that no client sent is the configuration's fault, and named; a client's is not", async () => {
    await using started = await startProvider(subject);
    const submitted = async (param: string, code = "InvalidParameter") => {
      started.fake.once("submit", { instead: arkError(400, code, QUOTE, param) });
      return started.provider.submit(jobWith(video), never);
    };
    for (const param of ["watermark", "service_tier", "model"]) {
      const detail = expect.stringContaining(param) as string;
      expect(await submitted(param)).toEqual({ kind: "closed", fault: "config", detail });
    }
    for (const param of ["content[1].image_url", "text", "image_url", "ratio", "seed", ""]) {
      expect(await submitted(param)).toMatchObject({ failure: { code: "invalid_input" } });
    }
    const refusal = await submitted("seed", "InputTextSensitiveContentDetected");
    expect(refusal).toMatchObject({ failure: { code: "content_rejected" } });
  });

  test("an empty 404 is a wrong address: it suspends the upstream and loses no task", async () => {
    await using started = await startProvider(subject);
    const upstreamId = await accepted(started.provider, jobWith(video));
    const elsewhere = started.providerWith({ baseUrl: `${started.fake.baseUrl}/v9` });
    const answer = await elsewhere.submit(jobWith(video), never);
    expect(answer).toMatchObject({ kind: "closed", fault: "config" });
    expect(await endOf(elsewhere.poll(upstreamId, never))).toContain("404");
  });

  test("a task that ran out of time at the upstream is upstream_timeout", async () => {
    await using started = await startProvider(subject);
    const upstreamId = await accepted(started.provider, jobWith(video));
    started.fake.says(upstreamId, { status: "expired" });
    const polled = await started.provider.poll(upstreamId, never);
    expect(polled).toMatchObject({ kind: "failed", failure: { code: "upstream_timeout" } });
  });
});
