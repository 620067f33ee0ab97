/** The main job, end to end: create, wait, download, charge and webhook, in one process, and its calls between four. */
import { createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Health, HealthCheckResponse_ServingStatus } from "#gen/proto/grpc/health/v1/health_pb.ts";
import { Mode } from "#gen/proto/media/accounts/v1/mode_pb.ts";
import { BillingService } from "#gen/proto/media/billing/v1/billing_pb.ts";
import {
  verifyWebhook,
  type Client,
  type Image,
  type Video,
  type VideoRequest,
} from "../../clients/typescript/index.ts";
import { apiOf, type Api } from "../support/api.ts";
import { clientOf, newCustomer, type Customer } from "../support/customer.ts";
import { startReceiver } from "../support/receiver.ts";
import { sharedService, type SharedService } from "../support/shared-service.ts";
import { fourProcesses } from "../support/whole-service.ts";
import { isLong } from "../support/test-size.ts";

/** In the XMP of every output. */
const MADE_BY_AI = "digitalsourcetype/trainedAlgorithmicMedia";

const VIDEO_MODELS = [
  ["alpha-2.0", 210, undefined],
  ["alpha-2.0-fast", 169, undefined],
  ["alpha-2.0-mini", 105, "https://example.com/first.png"],
  ["beta-2.7-text-to-video", 500, undefined],
  ["beta-2.7-image-to-video", 500, "https://example.com/first.png"],
  ["beta-3.0-video", 500, "https://example.com/first.png"],
] as const;

describe.each([
  ["in one process, calling in memory", sharedService],
  [
    "in four processes, calling over HTTP/2",
    async (stack: AsyncDisposableStack) => stack.use(await fourProcesses()),
  ],
])("the service %s", (_name, start) => {
  const stack = new AsyncDisposableStack();
  let service: SharedService;
  let customer: Customer;
  let live: Client;
  let test: Client;
  let liveApi: Api;

  beforeAll(async () => {
    service = await start(stack);
    customer = await newCustomer(service);
    const liveKey = await customer.key("live");
    live = clientOf(service.url, liveKey);
    liveApi = apiOf(service.url, liveKey);
    test = clientOf(service.url, await customer.key("test"));
  });
  afterAll(() => stack.disposeAsync());

  async function createAndWait(client: Client, request: VideoRequest) {
    const seen: Video[] = [];
    const onProgress = (video: Video) => void seen.push(video);
    const { id } = await client.videos.create(request);
    return { ended: await client.videos.wait(id, { onProgress, pollMs: 100 }), seen };
  }

  /** What calls between processes cannot change. */
  const inOne = isLong || start === sharedService;
  const inFour = start !== sharedService;

  it.runIf(inOne)("streams each change of a video's progress until its end", async () => {
    const metadata = { simulate: "slow:4" };
    const { id } = await test.videos.create({ model: "alpha-2.0", prompt: "a cat", metadata });
    const seen: number[] = [];
    for await (const { progress } of test.videos.watch(id)) seen.push(progress);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
    expect(seen.some((progress) => progress > 0 && progress < 100)).toBe(true);
    expect(seen.at(-1)).toBe(100);
  });

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
    const etag = whole.headers.get("etag") ?? "";
    const part = await fetch(output?.url ?? "", {
      headers: { range: "bytes=4-7", "if-range": etag },
    });
    expect(part.status).toBe(206);
    expect(await part.text()).toBe("ftyp");
    const known = await fetch(output?.url ?? "", { headers: { "if-none-match": etag } });
    expect(known.status).toBe(304);
    const thumbnail = await fetch(output?.thumbnail_url ?? "");
    expect(thumbnail.headers.get("content-type")).toBe("image/jpeg");
    expect(output?.provenance).toBe("iptc");
    expect(Buffer.from(bytes).includes(MADE_BY_AI)).toBe(true);
    expect(Buffer.from(await thumbnail.arrayBuffer()).includes(MADE_BY_AI)).toBe(true);
  });

  it.runIf(inOne).concurrent.each(isLong ? VIDEO_MODELS : [VIDEO_MODELS[0], VIDEO_MODELS[4]])(
    "makes a video with %s for %i Tokens",
    async (model, credits, imageUrl) => {
      const image = imageUrl === undefined ? {} : { image_url: imageUrl };
      const { ended } = await createAndWait(test, { model, prompt: "a cat", ...image });
      expect(ended).toMatchObject({ status: "success", model, credits, mode: "test" });
    },
  );

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

  it.runIf(inOne)("lists the seven models of the catalog with their prices", async () => {
    const models = await live.models.list();
    expect(models.map(({ id }) => id)).toContain("gamma-image-3.0-pro");
    expect(models).toHaveLength(7);
    for (const model of models) expect(model.availability).toBe("available");
  });

  it.runIf(inOne)(
    "answers 402 with the required and available Tokens, and reserves nothing",
    async () => {
      const customerWithoutTokens = await newCustomer(service, 0);
      const client = clientOf(service.url, await customerWithoutTokens.key("live"));
      await expect(
        client.videos.create({ model: "beta-3.0-video", prompt: "a cat" }),
      ).rejects.toMatchObject({
        status: 402,
        type: "billing_error",
        code: "insufficient_tokens",
        details: { required: 500, available: 0 },
      });
      expect(await client.balance.retrieve()).toMatchObject({ available: 0, reserved: 0 });
    },
  );

  it.runIf(inOne)(
    "answers concurrent creates of one idempotency key with one generation, and charges once",
    async () => {
      const before = await live.balance.retrieve();
      const request = { model: "alpha-2.0", prompt: "a cat" };
      const headers = { "idempotency-key": "one-logical-request" };
      const answers = await Promise.all(
        Array.from({ length: 20 }, () =>
          liveApi.post<Video>("/videos/generations", request, headers),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      const replayed = answers.filter(({ headers: h }) => h.get("idempotent-replayed") === "true");
      expect(replayed).toHaveLength(19);
      const other = { ...request, prompt: "a dog" };
      const idempotencyKey = headers["idempotency-key"];
      await expect(live.videos.create(other, { idempotencyKey })).rejects.toMatchObject({
        status: 422,
        code: "idempotency_key_reused",
      });
      await live.videos.wait(answers[0]?.body.id ?? "");
      expect((await live.balance.retrieve()).available).toBe(before.available - 210);
    },
  );

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

  it.runIf(inOne)(
    "makes an image that nobody waits for, and sends one signed webhook of its end",
    async () => {
      await using receiver = await startReceiver();
      const request = {
        model: "gamma-image-3.0-pro",
        prompt: "a lighthouse",
        webhook_url: receiver.url,
      };
      const before = await live.balance.retrieve();
      const headers = { prefer: "respond-async", "idempotency-key": "an-image-of-this-test" };
      const accepted = await liveApi.post<Image>("/images/generations", request, headers);
      expect(accepted).toMatchObject({ status: 202, body: { status: "pending", credits: 42 } });
      const ended = await live.images.wait(accepted.body.id);
      expect(ended).toMatchObject({ id: accepted.body.id, status: "success", credits: 42 });
      expect(accepted.headers.get("location")).toBe(`/v1/images/generations/${ended.id}`);
      const { prefer: _none, ...synchronously } = headers;
      const replayed = await liveApi.post<Image>("/images/generations", request, synchronously);
      expect([replayed.status, replayed.body]).toEqual([200, ended]);
      expect((await live.balance.retrieve()).available).toBe(before.available - 42);
      await receiver.has(1);
      const [{ headers: signed, body } = { headers: {}, body: "" }] = receiver.received;
      const event = await verifyWebhook(body, signed, await customer.webhookSecret("live"));
      expect(event).toMatchObject({ type: "image.generation.completed", data: ended });
      expect(receiver.received).toHaveLength(1);
    },
  );

  it.runIf(inOne)(
    "answers 401 without a valid key, and hides the generations of other accounts",
    async () => {
      const withoutAccess = clientOf(service.url, "mgs_live_nonsense");
      await expect(withoutAccess.models.list()).rejects.toMatchObject({ status: 401 });
      const other = await newCustomer(service, 0);
      const theirs = clientOf(service.url, await other.key("test"));
      const { id } = await test.videos.create({ model: "alpha-2.0", prompt: "a cat" });
      const hidden = { status: 404, code: "generation_not_found" };
      await expect(theirs.videos.retrieve(id)).rejects.toMatchObject(hidden);
      await expect(live.videos.retrieve(id)).rejects.toMatchObject(hidden);
      expect(await test.videos.retrieve(id)).toMatchObject({ id });
    },
  );

  it.runIf(inFour)(
    "answers RPCs over Connect, gRPC and gRPC-Web only to callers with a service token",
    async () => {
      const issued = service.ops<{ token: string }>(
        "service-token",
        "--caller",
        "analytics",
        "--service",
        "billing",
      );
      const { token } = await issued;
      const baseUrl = service.rpcUrls.billing;
      const transports = [
        createConnectTransport({ baseUrl, httpVersion: "2" }),
        createConnectTransport({ baseUrl, httpVersion: "1.1" }),
        createGrpcTransport({ baseUrl }),
        createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
      ];
      for (const transport of transports) {
        const billing = createClient(BillingService, transport);
        const request = { accountId: customer.accountId, mode: Mode.TEST };
        const headers = { authorization: `Bearer ${token}` };
        const answer = await billing.getBalance(request, { headers });
        expect(answer.balance?.available).toBeGreaterThan(0n);
        await expect(billing.getBalance(request)).rejects.toThrow("unauthenticated");
        const credit = { ...request, tokens: 1n };
        await expect(billing.recharge(credit, { headers })).rejects.toThrow("permission_denied");
        const { status } = await createClient(Health, transport).check({});
        expect(status).toBe(HealthCheckResponse_ServingStatus.SERVING);
      }
    },
  );

  // NOTE: keep this test last; its generations keep the workers busy for a while.
  it.runIf(inFour).each(isLong ? [0, 1, 57, 199] : [17])(
    "accepts of many concurrent creates exactly the %i that Tokens cover",
    async (count) => {
      const creates = isLong ? 200 : 50;
      const spender = await newCustomer(service, count * 105);
      // A slow machine sheds some of them for a moment: 503 with Retry-After.
      const client = clientOf(service.url, await spender.key("live"), { maxAttempts: 10 });
      const request = { model: "alpha-2.0-mini", prompt: "a cat" };
      const settled = await Promise.allSettled(
        Array.from({ length: creates }, () => client.videos.create(request)),
      );
      const refused = settled.filter((one) => one.status === "rejected");
      expect(refused.map(({ reason }) => (reason as { status: number }).status)).toEqual(
        Array.from({ length: creates - count }, () => 402),
      );
      expect((await client.balance.retrieve()).available).toBe(0);
    },
  );
});
