/** The main job, end to end, in one process: create, wait, download, charge and webhook. */
import { Webhook } from "standardwebhooks";
import {
  verifyWebhook,
  type Client,
  type Video,
  type VideoRequest,
} from "../../clients/typescript/index.ts";
import { clientOf, newCustomer } from "../support/customer.ts";
import { forTests } from "../support/for-tests.ts";
import { startReceiver } from "../support/receiver.ts";
import { sharedService } from "../support/shared-service.ts";

/** In the XMP of every output. */
const MADE_BY_AI = "digitalsourcetype/trainedAlgorithmicMedia";

const service = forTests(sharedService);
const customer = forTests(() => newCustomer(service));
const live = forTests(async () => clientOf(service.url, await customer.key("live")));
const test = forTests(async () => clientOf(service.url, await customer.key("test")));

async function createAndWait(client: Client, request: VideoRequest) {
  const seen: Video[] = [];
  const onProgress = (video: Video) => void seen.push(video);
  const { id } = await client.videos.create(request);
  return { ended: await client.videos.wait(id, { onProgress, pollMs: 100 }), seen };
}

it("makes a video: pending, processing with rising progress, success with a durable URL", async () => {
  const before = await live.balance.retrieve();
  const { ended, seen } = await createAndWait(live, {
    model: "beta-3.0-video",
    prompt: "a cat",
    duration: 2,
  });
  expect(ended).toMatchObject({ status: "success", progress: 100, credits: 200 });
  const progress = seen.map((one) => one.progress);
  expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  const after = await live.balance.retrieve();
  expect(after).toMatchObject({ available: before.available - 200, reserved: 0 });

  const [output] = ended.output;
  expect(output).toMatchObject({ width: 1280, height: 720, content_type: "video/mp4" });
  expect(output?.duration).toBeCloseTo(2, 1);
  const whole = await fetch(output?.url ?? "");
  const bytes = new Uint8Array(await whole.arrayBuffer());
  expect(whole.headers.get("content-type")).toBe("video/mp4");
  expect(whole.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(bytes.byteLength).toBe(output?.bytes);
  const thumbnail = await fetch(output?.thumbnail_url ?? "");
  expect(thumbnail.headers.get("content-type")).toBe("image/jpeg");
  expect(output?.provenance).toBe("iptc");
  expect(Buffer.from(bytes).includes(MADE_BY_AI)).toBe(true);
  expect(Buffer.from(await thumbnail.arrayBuffer()).includes(MADE_BY_AI)).toBe(true);
});

it("makes an image of the requested size within the call", async () => {
  const request = { model: "gamma-image-3.0-pro", prompt: "a lighthouse", size: "1280x720" };
  const image = await live.images.create(request);
  expect(image).toMatchObject({ status: "success", credits: 42 });
  const [output] = image.output;
  expect(output).toMatchObject({ width: 1280, height: 720, provenance: "iptc" });
  const file = Buffer.from(await (await fetch(output?.url ?? "")).arrayBuffer());
  expect(file.subarray(1, 4).toString()).toBe("PNG");
  expect(file.includes(MADE_BY_AI)).toBe(true);
});

it("sends signed webhooks of success and failure, and restores the Tokens of the failed one", async () => {
  await using receiver = await startReceiver();
  const request = { model: "alpha-2.0-mini", prompt: "a cat", webhook_url: receiver.url };
  const before = await test.balance.retrieve();
  const metadata = { simulate: "fail:content_rejected" };
  const [succeeded, failed] = await Promise.all(
    [request, { ...request, metadata }].map((each) => createAndWait(test, each)),
  );
  expect(failed?.ended).toMatchObject({
    status: "failed",
    credits: 0,
    error: { code: "content_rejected" },
  });
  expect((await test.balance.retrieve()).available).toBe(before.available - 105);
  await receiver.has(2);
  const secret = await customer.webhookSecret("test");
  const events = await Promise.all(
    receiver.received.map(({ headers, body }) => {
      // The reference implementation of Standard Webhooks must accept it, too.
      new Webhook(secret).verify(body.toString(), headers as Record<string, string>);
      return verifyWebhook(body, headers, secret);
    }),
  );
  const byType = new Map(events.map(({ type, data }) => [type, data]));
  expect(byType.get("video.generation.completed")).toEqual(succeeded?.ended);
  expect(byType.get("video.generation.failed")).toEqual(failed?.ended);
});
