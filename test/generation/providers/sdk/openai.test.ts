/** The OpenAI SDK and our adapter, side by side before one fake. */
import OpenAI, { AuthenticationError, BadRequestError, RateLimitError, toFile } from "openai";
import { expect, test } from "vitest";
import { openaiProvider } from "../../../../services/generation/providers/openai/openai.ts";
import { RESULT, type FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { openaiError, startOpenaiFake } from "../../../support/fake-upstreams/openai.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream, apiKey = key) =>
  new OpenAI({ apiKey, baseURL: baseUrl, maxRetries: 0 });
const adapterOf = ({ baseUrl, key }: FakeUpstream) =>
  openaiProvider({ baseUrl, key, clock: manualClock() });

const image = jobWith({ kind: "image", model: "gpt-image-2.6", width: 1536, height: 864 });
const asked = {
  model: image.model,
  prompt: image.prompt,
  size: "1536x864",
  n: 1,
  safety_identifier: image.endUser,
} satisfies OpenAI.Images.ImageGenerateParamsNonStreaming;
const picture = { content: Buffer.from("a picture"), contentType: "image/png" };
const video = jobWith({ kind: "video", model: "sora-2", durationSeconds: 8 });
const film = { model: "sora-2", prompt: video.prompt, seconds: "8", size: "1280x720" } as const;

test("an image, an edit and a video are asked for as the SDK does", async () => {
  await using fake = await startOpenaiFake();
  const [sdk, adapter] = [sdkOf(fake), adapterOf(fake)];
  await expectSameRequest(fake, INTENDED.openaiImage, {
    ours: async () => adapter.image?.(image, never),
    sdk: () => sdk.images.generate(asked),
  });
  const imageUrls = ["https://pictures.test/a.png"];
  await expectSameRequest(fake, INTENDED.openaiEdit, {
    ours: async () => adapter.image?.({ ...image, imageUrls, pictures: [picture] }, never),
    sdk: async () => {
      const file = await toFile(picture.content, "0.png", { type: "image/png" });
      return sdk.images.edit({ ...asked, image: [file] });
    },
  });
  await expectSameRequest(fake, INTENDED.openaiVideo, {
    ours: () => adapter.submit(video, never),
    sdk: () => sdk.videos.create(film),
  });
});

test("the SDK has its image, its edit and its video of the fake", async () => {
  await using fake = await startOpenaiFake();
  const sdk = sdkOf(fake);
  const made = await sdk.images.generate({ ...asked, n: 2 });
  const bytes = made.data?.map(({ b64_json }) => Buffer.from(b64_json ?? "", "base64"));
  expect(bytes).toEqual([RESULT, RESULT]);
  const created = await sdk.videos.create(film);
  expect(created).toMatchObject({ status: "queued", model: "sora-2", prompt: video.prompt });
  fake.says(created.id, { status: "completed", progress: 100 });
  expect(await sdk.videos.retrieve(created.id)).toMatchObject({ status: "completed" });
  const content = await sdk.videos.downloadContent(created.id);
  expect(Buffer.from(await content.arrayBuffer())).toEqual(RESULT);
});

test("the SDK knows the fake's refusals: a wrong key, a rate limit and a field of nobody", async () => {
  await using fake = await startOpenaiFake();
  const wrong = sdkOf(fake, "sk-wrong").images.generate(asked);
  await expect(wrong).rejects.toBeInstanceOf(AuthenticationError);
  fake.once("image", { instead: openaiError(429, "rate_limit_exceeded", "Slow down.") });
  const sdk = sdkOf(fake);
  await expect(sdk.images.generate(asked)).rejects.toBeInstanceOf(RateLimitError);
  const extra = sdk.images.generate({ ...asked, enhance: true } as typeof asked);
  await expect(extra).rejects.toBeInstanceOf(BadRequestError);
  await expect(extra).rejects.toMatchObject({ code: "unknown_parameter", param: "enhance" });
});

/** A new status of the SDK does not compile. */
const STATES: Record<OpenAI.Videos.Video["status"], string> = {
  queued: "running",
  in_progress: "running",
  completed: "succeeded",
  failed: "failed",
};

test("every status that the SDK knows is one of the adapter's", async () => {
  await using fake = await startOpenaiFake();
  const adapter = adapterOf(fake);
  const submitted = await adapter.submit(video, never);
  if (submitted.kind !== "accepted") throw new Error(submitted.kind);
  for (const [status, kind] of Object.entries(STATES)) {
    fake.says(submitted.upstreamId, { status });
    expect([status, (await adapter.poll(submitted.upstreamId, never)).kind]).toEqual([
      status,
      kind,
    ]);
  }
});
