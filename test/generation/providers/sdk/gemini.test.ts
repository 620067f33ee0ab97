/** Google's SDK and our adapter, side by side before one fake. */
import { BlockedReason, FinishReason, GoogleGenAI, type Interactions } from "@google/genai";
import { expect, test } from "vitest";
import { geminiProvider } from "../../../../services/generation/providers/gemini/gemini.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { finishedWithout, startGeminiFake } from "../../../support/fake-upstreams/gemini.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { accepted, jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest, expectStates } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: new URL(baseUrl).origin } });
const adapterOf = ({ baseUrl, key }: FakeUpstream) =>
  geminiProvider({ baseUrl, key, clock: manualClock() });

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
  const upstreamId = await accepted(adapter, video);
  await expectStates({ fake, adapter, upstreamId }, STATES);
});

/** What an answer without a picture means, by its reason. */
const WITHOUT_PICTURE = {
  content_rejected:
    "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION",
  upstream_failed:
    "FINISH_REASON_UNSPECIFIED STOP MAX_TOKENS LANGUAGE MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS MALFORMED_RESPONSE CONTINUATION OTHER NO_IMAGE IMAGE_OTHER",
};

test("every reason of the SDK for an answer without a picture is a failure that we can tell", async () => {
  const cases = Object.entries(WITHOUT_PICTURE).flatMap(([end, reasons]) =>
    reasons.split(" ").map((reason) => ({ end, reason, json: finishedWithout(reason) })),
  );
  const known = cases.map(({ reason }) => reason);
  expect(known.toSorted()).toEqual(Object.keys(FinishReason).toSorted());
  const blocks = Object.keys(BlockedReason).map((reason) => {
    const json: object = { promptFeedback: { blockReason: reason } };
    return { end: "content_rejected", reason, json };
  });
  for (const { end, reason, json } of [...cases, ...blocks]) {
    await using fake = await startGeminiFake();
    // The second answers the repeated call, if there is one.
    for (let i = 0; i < 2; i++) fake.once("image", { instead: { status: 200, json } });
    const imaged = await adapterOf(fake).image?.(image, never);
    const told = imaged?.kind === "failed" ? imaged.failure.code : imaged?.kind;
    expect([reason, told]).toEqual([reason, end]);
  }
});
