/** The AI SDK of ByteDance and our adapter, side by side before one fake. */
import { createByteDance } from "@ai-sdk/bytedance";
import { test } from "vitest";
import { arkProvider } from "../../../../services/generation/providers/ark/ark.ts";
import { seedOf } from "../../../../services/generation/providers/ark/requests.ts";
import { startArk } from "../../../support/fake-upstreams/ark.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream) =>
  createByteDance({ apiKey: key, baseURL: baseUrl });
const adapterOf = ({ baseUrl, key }: FakeUpstream) =>
  arkProvider({ baseUrl, key, clock: manualClock() });

const VIDEO = "dreamina-seedance-2-0-260128";
const IMAGE = "dola-seedream-5-0-pro-260628";
const PICTURE = "https://files.test/first.png";
const video = jobWith({ kind: "video", model: VIDEO });
const film = {
  prompt: video.prompt,
  n: 1,
  image: undefined,
  aspectRatio: "16:9",
  resolution: "1280x720",
  duration: 5,
  fps: undefined,
  seed: seedOf(video),
  generateAudio: undefined,
  frameImages: undefined,
  inputReferences: undefined,
  providerOptions: { bytedance: { watermark: false, pollIntervalMs: 1 } },
} as const;
const image = jobWith({ kind: "image", model: IMAGE, seed: 3 });
const drawing = {
  prompt: image.prompt,
  n: 1,
  size: "1280x720",
  aspectRatio: undefined,
  seed: undefined,
  files: undefined,
  mask: undefined,
  providerOptions: { bytedance: { watermark: false } },
} as const;

test("a video, a first frame and an image are asked for as the SDK does", async () => {
  await using fake = await startArk(manualClock());
  const [sdk, adapter] = [sdkOf(fake), adapterOf(fake)];
  await expectSameRequest(fake, INTENDED.ark, {
    ours: () => adapter.submit(video, never),
    sdk: () => sdk.video(VIDEO).doGenerate(film),
  });
  await expectSameRequest(fake, INTENDED.arkFrame, {
    ours: () => adapter.submit({ ...video, imageUrls: [PICTURE] }, never),
    sdk: () =>
      sdk
        .video(VIDEO)
        .doGenerate({ ...film, aspectRatio: "16:9", image: { type: "url", url: PICTURE } }),
  });
  await expectSameRequest(fake, INTENDED.arkImage, {
    ours: async () => adapter.image?.(image, never),
    sdk: () => sdk.image(IMAGE).doGenerate(drawing),
  });
});
