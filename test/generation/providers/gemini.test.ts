/** The adapter to the Gemini API: conformance, and what is Google's own. */
import { describe, expect, test } from "vitest";
import { geminiProvider } from "../../../services/generation/providers/gemini/gemini.ts";
import {
  QUOTE,
  RESULT,
  type FakeReply,
  type JobState,
} from "../../support/fake-upstreams/fake-upstream.ts";
import {
  finishedWithout,
  pictureAnswer,
  rpcError,
  startGeminiFake,
  veoFiltered,
  veoSucceeded,
} from "../../support/fake-upstreams/gemini.ts";
import { accepted, jobWith, never, startAdapter } from "./adapter-under-test.ts";
import { conforms } from "./conformance.ts";
import type { Refusals, Subject } from "./subject.ts";

const ended = (code: number, message: string): JobState => ({
  status: "done",
  done: true,
  error: { code, message },
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
  adapter: geminiProvider,
  start: startGeminiFake,
  jobs: [
    {
      job: { kind: "video", model: "veo-3.1-generate-preview" },
      refusals: REFUSALS,
      states: {
        running: { status: "running" },
        succeeded: { status: "succeeded" },
        odd: { status: "running", done: false, metadata: { "@type": "unheard of" } },
        failed: ended(13, QUOTE),
        contentRejected: veoFiltered,
        badInput: ended(3, QUOTE),
        gone: { status: "gone" },
        succeededAt: veoSucceeded,
      },
      find: "unknown",
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
  const video = jobWith({ kind: "video", model: "veo-3.1-generate-preview", durationSeconds: 8 });

  const imaged = async (...answers: object[]) => {
    await using adapter = await startAdapter(SUBJECT);
    for (const json of answers) adapter.fake.once("image", { instead: { status: 200, json } });
    const answer = await adapter.provider.image?.(image, never);
    const asked = adapter.fake.requests.length;
    return { asked, end: answer?.kind === "failed" ? answer.failure.code : answer?.kind };
  };

  test("the key goes with a result on Google's own origin, for there it is needed", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const upstreamId = await accepted(adapter.provider, video);
    adapter.fake.says(upstreamId, { status: "succeeded" });
    const polled = await adapter.provider.poll(upstreamId, never);
    expect(polled).toMatchObject({
      kind: "succeeded",
      sources: [{ configuredOrigin: true, headers: { "x-goog-api-key": adapter.fake.key } }],
    });
  });

  test("the first frame is sent as bytes, and the parameters of the upstream with it", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const pictures = [{ content: Buffer.from("a frame"), contentType: "image/webp" }];
    const parameters = { parameters: { resolution: "1080p", personGeneration: "allow_adult" } };
    const job = { ...video, imageUrls: [PICTURE], pictures, negativePrompt: "rain", parameters };
    expect(await accepted(adapter.provider, job)).toMatch(
      /^models\/veo-3\.1-generate-preview\/operations\//,
    );
    expect(adapter.fake.requests[0]?.json).toEqual({
      instances: [
        {
          prompt: job.prompt,
          image: {
            bytesBase64Encoded: Buffer.from("a frame").toString("base64"),
            mimeType: "image/webp",
          },
        },
      ],
      parameters: {
        aspectRatio: "16:9",
        durationSeconds: 8,
        negativePrompt: "rain",
        resolution: "1080p",
        personGeneration: "allow_adult",
        sampleCount: 1,
      },
    });
  });

  test("an image's size becomes a ratio and a tier, and its references are sent as bytes", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const picture = { content: Buffer.from("a picture"), contentType: "image/png" };
    const references = { imageUrls: [PICTURE, PICTURE], pictures: [picture, picture] };
    await adapter.provider.image?.({ ...image, ...references, negativePrompt: "rain" }, never);
    expect(adapter.fake.requests[0]?.json).toMatchObject({
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
      await adapter.provider.image?.({ ...image, width, height }, never);
      return adapter.fake.requests.at(-1)?.json;
    };
    const config = (imageConfig: object) => ({ generationConfig: { imageConfig } });
    const wide = config({ aspectRatio: "16:9", imageSize: "1K" });
    expect(await tierOf(1280, 720)).toMatchObject(wide);
    const square = config({ aspectRatio: "1:1", imageSize: "4K" });
    expect(await tierOf(4096, 4096)).toMatchObject(square);
  });

  test("every block under status 200 is a content refusal", async () => {
    for (const reason of ["SAFETY", "IMAGE_SAFETY", "IMAGE_RECITATION", "SPII", "BLOCKLIST"]) {
      expect(await imaged(finishedWithout(reason))).toEqual({ asked: 1, end: "content_rejected" });
    }
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

  test("a quota of a minute is a rate limit with its delay; one of a day suspends the upstream", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const submitted = async (instead: FakeReply) => {
      adapter.fake.once("submit", { instead });
      return adapter.provider.submit(video, never);
    };
    const perMinute = quota("GenerateRequestsPerMinutePerProject", { retryDelay: "34.4s" });
    expect(await submitted(perMinute)).toEqual({
      kind: "rejected",
      fault: "rate_limited",
      retryAfterMs: 34_400,
    });
    const unavailable = (message: string) => submitted(rpcError(503, "UNAVAILABLE", message));
    for (const message of [
      "The model is overloaded.",
      "This model is currently experiencing high demand.",
    ]) {
      expect(await unavailable(message)).toEqual({ kind: "rejected", fault: "unavailable" });
    }
    const expired = "Deadline expired before operation could complete.";
    expect(await unavailable(expired)).toEqual({ kind: "unknown" });
    const perDay = quota("GenerateRequestsPerDayPerProject", { retryDelay: "34.4s" });
    expect(await submitted(perDay)).toMatchObject({ kind: "closed", fault: "billing" });
    const region = rpcError(400, "FAILED_PRECONDITION", "User location is not supported.");
    expect(await submitted(region)).toMatchObject({ kind: "closed", fault: "config" });
    const extra = `Invalid JSON payload received. Unknown name "enhance" at 'parameters': Cannot find field.`;
    expect(await submitted(rpcError(400, "INVALID_ARGUMENT", extra))).toMatchObject({
      kind: "closed",
      fault: "config",
    });
    expect(await submitted(rpcError(403, "PERMISSION_DENIED", QUOTE))).toMatchObject({
      kind: "closed",
      fault: "auth",
    });
  });

  test("an operation's error is told apart by its number; one that ends with nothing failed", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const upstreamId = await accepted(adapter.provider, video);
    const failureOf = async (state: JobState) => {
      adapter.fake.says(upstreamId, state);
      const polled = await adapter.provider.poll(upstreamId, never);
      return polled.kind === "failed" ? polled.failure.code : polled.kind;
    };
    expect(await failureOf(ended(3, "violates our usage guidelines"))).toBe("content_rejected");
    expect(await failureOf(ended(3, "Unable to process input image"))).toBe("invalid_input");
    for (const code of [2, 4, 7, 8, 9, 14]) {
      expect(await failureOf(ended(code, QUOTE))).toBe("upstream_failed");
    }
    expect(await failureOf({ status: "done", done: true, response: {} })).toBe("upstream_failed");
  });

  test("an operation whose name would lead elsewhere is not asked for", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const json = { name: "models/../../operations/x?key=1" };
    adapter.fake.once("submit", { instead: { status: 200, json } });
    expect(await adapter.provider.submit(video, never)).toEqual({ kind: "unknown" });
  });

  test("the picture's bytes are in the answer, after drafts of it", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const picture = async () => adapter.provider.image?.(image, never);
    const succeeded = (content: Buffer) => ({ kind: "succeeded", sources: [{ content }] });
    expect(await picture()).toEqual(succeeded(RESULT));
    const part = (text: string, thought: boolean) => ({
      inlineData: { mimeType: "image/png", data: Buffer.from(text).toString("base64") },
      ...(thought ? { thought } : {}),
    });
    const answers = (...parts: object[]) =>
      adapter.fake.once("image", {
        instead: { status: 200, json: { candidates: [{ content: { parts } }] } },
      });
    const drafts = [part("draft", true), part("first", false), part("last", false)];
    answers(...drafts, part("afterthought", true), { text: "Here it is." });
    expect(await picture()).toEqual(succeeded(Buffer.from("last")));
    answers(part("draft", true), part("second draft", true));
    expect(await picture()).toEqual(succeeded(Buffer.from("second draft")));
  });

  test("a configured size of images leaves them their ratio", async () => {
    await using adapter = await startAdapter(SUBJECT);
    const parameters = { generationConfig: { seed: 1, imageConfig: { imageSize: "4K" } } };
    await adapter.provider.image?.({ ...image, parameters }, never);
    expect(adapter.fake.requests[0]?.json).toMatchObject({
      generationConfig: {
        responseModalities: ["IMAGE"],
        seed: 1,
        imageConfig: { aspectRatio: "4:3", imageSize: "4K" },
      },
    });
  });
});
