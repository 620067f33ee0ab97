/** fal's SDK and our adapter, side by side before one fake. */
import { createFalClient } from "@fal-ai/client";
import type { EndpointTypeMap } from "@fal-ai/client/endpoints";
import { test } from "vitest";
import { falProvider } from "../../../../services/generation/providers/fal/fal.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { startFalFake } from "../../../support/fake-upstreams/fal.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { jobWith, never } from "../adapter-under-test.ts";
import { INTENDED } from "./intended-differences.ts";
import { expectSameRequest } from "./same-request.ts";

const sdkOf = ({ baseUrl, key }: FakeUpstream) =>
  createFalClient({
    credentials: key,
    retry: { maxRetries: 0 },
    // The SDK knows one address.
    fetch: (url, init) => {
      const address = url instanceof Request ? url.url : url.toString();
      return fetch(address.replace("https://queue.fal.run", baseUrl), init);
    },
  });
const adapterOf = ({ baseUrl, key }: FakeUpstream) =>
  falProvider({ baseUrl, key, clock: manualClock() });

const MODEL = "fal-ai/veo3.1";
const callbackUrl = "https://api.test/callbacks/a";
const parameters = { duration: "seconds", input: { resolution: "720p" } };
const video = jobWith({ kind: "video", model: MODEL, parameters, durationSeconds: 8, callbackUrl });
const input = {
  prompt: video.prompt,
  duration: "8s",
  aspect_ratio: "16:9",
  resolution: "720p",
} satisfies EndpointTypeMap[typeof MODEL]["input"];
const idOf = (upstreamId: string) => upstreamId.slice(upstreamId.lastIndexOf("/") + 1);

test("a submit, a result and a cancel are sent as the SDK does", async () => {
  await using fake = await startFalFake();
  const [sdk, adapter] = [sdkOf(fake), adapterOf(fake)];
  await expectSameRequest(fake, INTENDED.fal, {
    ours: () => adapter.submit(video, never),
    sdk: () => sdk.queue.submit(MODEL, { input, webhookUrl: callbackUrl }),
  });
  const upstreamId = fake.jobs[0]?.id ?? "";
  const requestId = idOf(upstreamId);
  await expectSameRequest(fake, INTENDED.falStatus, {
    ours: () => adapter.poll(upstreamId, never),
    sdk: () => sdk.queue.status(MODEL, { requestId }),
  });
  await expectSameRequest(fake, INTENDED.falCancel, {
    ours: () => adapter.cancel(upstreamId, never),
    sdk: () => {
      fake.says(upstreamId, { status: "IN_QUEUE" });
      for (const job of fake.jobs) job.state = { status: "IN_QUEUE" };
      return sdk.queue.cancel(MODEL, { requestId });
    },
  });
});
