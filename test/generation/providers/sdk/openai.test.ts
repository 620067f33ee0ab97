/** The OpenAI SDK and our adapter, side by side before one fake. */
import OpenAI, { toFile } from "openai";
import { test } from "vitest";
import { openaiProvider } from "../../../../services/generation/providers/openai/openai.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { startOpenaiFake } from "../../../support/fake-upstreams/openai.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream) =>
  new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: 0 });
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
