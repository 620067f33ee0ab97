/** Google's SDK and our adapter, side by side before one fake. */
import { BlockedReason, FinishReason, GoogleGenAI, type Interactions } from "@google/genai";
import { expect, test } from "vitest";
import { geminiProvider } from "../../../../services/generation/providers/gemini/gemini.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import {
  finishedWithout,
  rpcError,
  startGeminiFake,
} from "../../../support/fake-upstreams/gemini.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream, apiKey = key) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: new URL(baseUrl).origin } });
const adapterOf = ({ baseUrl, key }: FakeUpstream) =>
  geminiProvider({ baseUrl, key, clock: manualClock() });
const NO_RETRIES = { retries: { strategy: "none" } } as const;

const image = jobWith({ kind: "image", model: "gemini-3.1-flash-image" });
const asked = {
  model: image.model,
  contents: [{ role: "user", parts: [{ text: image.prompt }] }],
  config: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9", imageSize: "1K" } },
};
const video = jobWith({ kind: "video", model: "gemini-omni-1.2-flash", durationSeconds: 8 });
const film = {
  model: "gemini-omni-1.2-flash",
  input: [{ type: "text", text: video.prompt }],
  background: true,
  store: true,
  response_format: {
    type: "video",
    aspect_ratio: "16:9",
    duration: "8s",
    resolution: "720p",
    delivery: "uri",
  },
} satisfies Interactions.CreateModelInteractionParamsNonStreaming;

test("an image and a video are asked for as the SDK does", async () => {
  await using fake = await startGeminiFake();
  const [sdk, adapter] = [sdkOf(fake), adapterOf(fake)];
  await expectSameRequest(fake, INTENDED.geminiImage, {
    ours: async () => adapter.image?.(image, never),
    sdk: () => sdk.models.generateContent(asked),
  });
  await expectSameRequest(fake, INTENDED.geminiVideo, {
    ours: () => adapter.submit(video, never),
    sdk: () => sdk.interactions.create(film),
  });
});

test("a poll and a cancel are sent as the SDK does", async () => {
  await using fake = await startGeminiFake();
  const [sdk, adapter] = [sdkOf(fake), adapterOf(fake)];
  const { id } = await sdk.interactions.create(film);
  await expectSameRequest(fake, INTENDED.geminiPoll, {
    ours: () => adapter.poll(id, never),
    sdk: () => sdk.interactions.get(id),
  });
  await expectSameRequest(fake, INTENDED.geminiCancel, {
    ours: () => adapter.cancel(id, never),
    sdk: async () => {
      const job = fake.jobs.find((one) => one.id === id);
      if (job) job.state = { status: "in_progress" };
      return sdk.interactions.cancel(id);
    },
  });
});

test("the SDK has its image and its video of the fake, and cancels one", async () => {
  await using fake = await startGeminiFake();
  const sdk = sdkOf(fake);
  const { candidates } = await sdk.models.generateContent(asked);
  const parts = candidates?.[0]?.content?.parts ?? [];
  expect(parts.some(({ inlineData }) => inlineData?.mimeType === "image/png")).toBe(true);
  const created = await sdk.interactions.create(film);
  expect(created.status).toBe("in_progress");
  fake.says(created.id, { status: "completed" });
  const ended = await sdk.interactions.get(created.id);
  expect(ended.output_video?.uri).toContain("/files/one:download");
  const other = await sdk.interactions.create(film);
  expect(await sdk.interactions.cancel(other.id)).toMatchObject({ status: "cancelled" });
});

test("the SDK knows the fake's refusals: a wrong key, a rate limit and a field of nobody", async () => {
  await using fake = await startGeminiFake();
  const wrong = sdkOf(fake, "AIza-wrong").models.generateContent(asked);
  await expect(wrong).rejects.toMatchObject({ name: "ApiError", status: 400 });
  const sdk = sdkOf(fake);
  fake.once("submit", { instead: rpcError(429, "RESOURCE_EXHAUSTED", "Slow down.") });
  const limited = sdk.interactions.create(film, NO_RETRIES);
  await expect(limited).rejects.toMatchObject({ status: 429 });
  const extra = sdk.interactions.create({ ...film, enhance: true } as typeof film, NO_RETRIES);
  await expect(extra).rejects.toMatchObject({ status: 400 });
});

type Known<Word> = Word extends string ? (string extends Word ? never : Word) : never;
/** A new status of the SDK does not compile. */
const STATES: Record<Known<Interactions.Interaction["status"]>, string> = {
  queued: "running",
  in_progress: "running",
  completed: "succeeded",
  failed: "upstream_failed",
  cancelled: "stopped",
  requires_action: "upstream_failed",
  requires_continuation: "upstream_failed",
  incomplete: "upstream_failed",
  budget_exceeded: "upstream_failed",
};

test("every status that the SDK knows is one of the adapter's", async () => {
  await using fake = await startGeminiFake();
  const adapter = adapterOf(fake);
  const submitted = await adapter.submit(video, never);
  if (submitted.kind !== "accepted") throw new Error(submitted.kind);
  for (const [status, expected] of Object.entries(STATES)) {
    fake.says(submitted.upstreamId, { status });
    const polled = await adapter.poll(submitted.upstreamId, never);
    const end = polled.kind === "failed" ? polled.failure.code : polled.kind;
    expect([status, end]).toEqual([status, expected]);
  }
});

/** What an answer without a picture means. A new reason of the SDK does not compile. */
const WITHOUT_PICTURE: Record<FinishReason, string> = {
  FINISH_REASON_UNSPECIFIED: "upstream_failed",
  STOP: "upstream_failed",
  MAX_TOKENS: "upstream_failed",
  LANGUAGE: "upstream_failed",
  MALFORMED_FUNCTION_CALL: "upstream_failed",
  UNEXPECTED_TOOL_CALL: "upstream_failed",
  TOO_MANY_TOOL_CALLS: "upstream_failed",
  MALFORMED_RESPONSE: "upstream_failed",
  CONTINUATION: "upstream_failed",
  SAFETY: "content_rejected",
  RECITATION: "content_rejected",
  BLOCKLIST: "content_rejected",
  PROHIBITED_CONTENT: "content_rejected",
  SPII: "content_rejected",
  IMAGE_SAFETY: "content_rejected",
  IMAGE_PROHIBITED_CONTENT: "content_rejected",
  IMAGE_RECITATION: "content_rejected",
  // Asked once more, and then failed.
  OTHER: "upstream_failed",
  NO_IMAGE: "upstream_failed",
  IMAGE_OTHER: "upstream_failed",
};
/** Every reason to block a prompt is the content's. */
const BLOCKED: Record<BlockedReason, "content_rejected"> = {
  BLOCKED_REASON_UNSPECIFIED: "content_rejected",
  SAFETY: "content_rejected",
  OTHER: "content_rejected",
  BLOCKLIST: "content_rejected",
  PROHIBITED_CONTENT: "content_rejected",
  IMAGE_SAFETY: "content_rejected",
  MODEL_ARMOR: "content_rejected",
  JAILBREAK: "content_rejected",
};

test("every reason for an answer without a picture is a failure that we can tell", async () => {
  expect(Object.keys(WITHOUT_PICTURE).toSorted()).toEqual(Object.keys(FinishReason).toSorted());
  expect(Object.keys(BLOCKED).toSorted()).toEqual(Object.keys(BlockedReason).toSorted());
  const endOf = async (json: object) => {
    await using fake = await startGeminiFake();
    const adapter = adapterOf(fake);
    // The second answers the repeated call, if there is one.
    for (let i = 0; i < 2; i++) fake.once("image", { instead: { status: 200, json } });
    const imaged = await adapter.image?.(image, never);
    return imaged?.kind === "failed" ? imaged.failure.code : imaged?.kind;
  };
  for (const [reason, end] of Object.entries(WITHOUT_PICTURE)) {
    expect([reason, await endOf(finishedWithout(reason))]).toEqual([reason, end]);
  }
  for (const [blockReason, end] of Object.entries(BLOCKED)) {
    const json = { promptFeedback: { blockReason } };
    expect([blockReason, await endOf(json)]).toEqual([blockReason, end]);
  }
});
