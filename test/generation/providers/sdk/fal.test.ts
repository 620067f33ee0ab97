/** fal's SDK and our adapter, side by side before one fake. */
import { createFalClient, type QueueStatus, type WebHookResponse } from "@fal-ai/client";
import type { EndpointTypeMap } from "@fal-ai/client/endpoints";
import { expect, test } from "vitest";
import { falProvider } from "../../../../services/generation/providers/fal/fal.ts";
import type { FakeUpstream } from "../../../support/fake-upstreams/fake-upstream.ts";
import { falCallback, startFalFake } from "../../../support/fake-upstreams/fal.ts";
import { manualClock } from "../../../support/manual-clock.ts";
import { accepted, jobWith, never } from "../adapter-under-test.ts";
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
const adapterOf = ({ baseUrl, key }: FakeUpstream, clock = manualClock()) =>
  falProvider({ baseUrl, key, clock });

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

test("a callback in the SDK's shape is genuine to the adapter", async () => {
  const clock = manualClock();
  await using fake = await startFalFake();
  const adapter = adapterOf(fake, clock);
  const upstreamId = await accepted(adapter, video);
  const request_id = idOf(upstreamId);
  const ended: Pick<WebHookResponse, "request_id" | "status" | "payload">[] = [
    { request_id, status: "OK", payload: { video: { url: "https://files.test/1" } } },
    { request_id, status: "ERROR", payload: { detail: [] } },
  ];
  for (const payload of ended) {
    const callback = falCallback(upstreamId, clock.now(), { payload, model: MODEL });
    expect(await adapter.callback?.(callback)).toBe(upstreamId);
  }
});

/** A new status of the SDK does not compile. */
const STATES: Record<QueueStatus["status"], string> = {
  IN_QUEUE: "running",
  IN_PROGRESS: "running",
  COMPLETED: "succeeded",
};

test("every status that the SDK knows is one of the adapter's", async () => {
  await using fake = await startFalFake();
  const adapter = adapterOf(fake);
  const upstreamId = await accepted(adapter, video);
  for (const [status, kind] of Object.entries(STATES)) {
    fake.says(upstreamId, { status });
    expect([status, (await adapter.poll(upstreamId, never)).kind]).toEqual([status, kind]);
  }
});
