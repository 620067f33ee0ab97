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
import type { components } from "#gen/openapi/media.ts";
import { apiOf } from "../support/api.ts";
import type { Api, Image, Problem, Video } from "../support/api.ts";
import { startReceiver } from "../support/receiver.ts";
import { fourProcesses, oneProcess } from "../support/whole-service.ts";
import type { WholeService } from "../support/whole-service.ts";

const VIDEO_MODELS = [
  ["alpha-2.0", 210, undefined],
  ["alpha-2.0-fast", 169, undefined],
  ["alpha-2.0-mini", 105, "https://example.com/first.png"],
  ["beta-2.7-text-to-video", 500, undefined],
  ["beta-2.7-image-to-video", 500, "https://example.com/first.png"],
  ["beta-3.0-video", 500, "https://example.com/first.png"],
] as const;

describe.each([
  ["in one process, calling in memory", oneProcess],
  ["in four processes, calling over HTTP/2", fourProcesses],
])("the service %s", (_name, start) => {
  const stack = new AsyncDisposableStack();
  let service: WholeService;
  let accountId: string;
  let live: Api;
  let test: Api;

  beforeAll(async () => {
    service = stack.use(await start());
    accountId = (await service.ops<{ id: string }>("account", "create", "--name", "E2E")).id;
    await service.ops("account", "grant-production", "--account", accountId);
    await service.ops("recharge", "--account", accountId, "--tokens", "100000");
    live = apiOf(service.url, await key("live"));
    test = apiOf(service.url, await key("test"));
  });
  afterAll(() => stack.disposeAsync());

  async function key(mode: "live" | "test", account = accountId): Promise<string> {
    const made = service.ops<{ key: string }>(
      "key",
      "create",
      "--account",
      account,
      "--mode",
      mode,
    );
    return (await made).key;
  }

  const balance = async (api: Api) =>
    (await api.get<components["schemas"]["Balance"]>("/balance")).body;

  it("makes a video: pending, processing with rising progress, success with a durable URL", async () => {
    const before = await balance(live);
    const { ended, seen } = await live.video({
      model: "beta-3.0-video",
      prompt: "a cat",
      duration: 2,
    });
    expect(ended).toMatchObject({ status: "success", progress: 100, credits: 200 });
    const progress = seen.map((one) => one.progress);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    const after = await balance(live);
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
  });

  it.each(VIDEO_MODELS)("makes a video with %s for %i Tokens", async (model, credits, imageUrl) => {
    const image = imageUrl === undefined ? {} : { image_url: imageUrl };
    const { ended } = await test.video({ model, prompt: "a cat", ...image });
    expect(ended).toMatchObject({ status: "success", model, credits, mode: "test" });
  });

  it("makes an image of the requested size within the call", async () => {
    const made = await live.post<Image>("/images/generations", {
      model: "gamma-image-3.0-pro",
      prompt: "a lighthouse",
      size: "1280x720",
    });
    expect(made.status).toBe(200);
    expect(made.body).toMatchObject({ status: "success", credits: 42 });
    expect(made.body.output[0]).toMatchObject({ width: 1280, height: 720 });
    const file = new Uint8Array(await (await fetch(made.body.output[0]?.url ?? "")).arrayBuffer());
    expect([...file.subarray(1, 4)].map((byte) => String.fromCharCode(byte)).join("")).toBe("PNG");
  });

  it("lists the seven models of the catalog with their prices", async () => {
    const { body } = await live.get<components["schemas"]["ModelList"]>("/models");
    expect(body.data.map(({ id }) => id)).toContain("gamma-image-3.0-pro");
    expect(body.data).toHaveLength(7);
    for (const model of body.data) expect(model.availability).toBe("available");
  });

  it("answers 402 with what is needed and there when Tokens are short, and reserves nothing", async () => {
    const poor = (await service.ops<{ id: string }>("account", "create", "--name", "Poor")).id;
    await service.ops("account", "grant-production", "--account", poor);
    const api = apiOf(service.url, await key("live", poor));
    const request = { model: "beta-3.0-video", prompt: "a cat" };
    const refused = await api.post<Problem>("/videos/generations", request);
    expect(refused.status).toBe(402);
    expect(refused.body.error).toMatchObject({
      type: "billing_error",
      code: "insufficient_tokens",
      details: { required: 500, available: 0 },
    });
    expect(await balance(api)).toMatchObject({ available: 0, reserved: 0 });
  });

  it("answers concurrent creates of one idempotency key with one task, and charges once", async () => {
    const before = await balance(live);
    const request = { model: "alpha-2.0", prompt: "a cat" };
    const headers = { "idempotency-key": "one-logical-request" };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => live.post<Video>("/videos/generations", request, headers)),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const replayed = answers.filter(({ headers: h }) => h.get("idempotent-replayed") === "true");
    expect(replayed).toHaveLength(19);
    const other = { ...request, prompt: "a dog" };
    const conflict = await live.post<Problem>("/videos/generations", other, headers);
    expect(conflict.status).toBe(422);
    expect(conflict.body.error.code).toBe("idempotency_key_reused");
    await live.waitForEnd(answers[0]?.body.id ?? "");
    expect((await balance(live)).available).toBe(before.available - 210);
  });

  it("tells a webhook of success and of failure, signed, and restores the Tokens of the failed one", async () => {
    await using receiver = await startReceiver();
    const request = { model: "alpha-2.0-mini", prompt: "a cat", webhook_url: receiver.url };
    const before = await balance(test);
    const made = await test.video(request);
    const failed = await test.video({
      ...request,
      metadata: { simulate: "fail:content_rejected" },
    });
    expect(failed.ended).toMatchObject({
      status: "failed",
      credits: 0,
      error: { code: "content_rejected" },
    });
    expect((await balance(test)).available).toBe(before.available - 105);
    await receiver.has(2);
    const { secret } = await service.ops<{ secret: string }>(
      "webhook-secret",
      "--account",
      accountId,
      "--mode",
      "test",
    );
    const events = receiver.received.map(({ headers, body }) =>
      new Webhook(secret).verify(body.toString(), headers as Record<string, string>),
    ) as { type: string; data: Video }[];
    const byType = new Map(events.map(({ type, data }) => [type, data]));
    expect(byType.get("video.generation.completed")).toEqual(made.ended);
    expect(byType.get("video.generation.failed")).toEqual(failed.ended);
  });

  it("refuses requests without a key with 401, and hides what belongs to another account", async () => {
    const stranger = apiOf(service.url, "mgs_live_nonsense");
    expect((await stranger.get("/models")).status).toBe(401);
    const other = (await service.ops<{ id: string }>("account", "create", "--name", "Other")).id;
    const theirs = apiOf(service.url, await key("test", other));
    const created = await test.post<Video>("/videos/generations", {
      model: "alpha-2.0",
      prompt: "a cat",
    });
    const path = `/videos/generations/${created.body.id}`;
    const foreign = await theirs.get<Problem>(path);
    expect(foreign.status).toBe(404);
    expect(foreign.body.error.code).toBe("generation_not_found");
    expect((await live.get(path)).status).toBe(404);
    expect((await test.get(path)).status).toBe(200);
  });

  it("answers typed calls over Connect, gRPC and gRPC-Web to callers with a service token, and to no others", async () => {
    const issued = service.ops<{ token: string }>("service-token", "--caller", "analytics");
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
      const request = { accountId, mode: Mode.TEST };
      const headers = { authorization: `Bearer ${token}` };
      const answer = await billing.getBalance(request, { headers });
      expect(answer.balance?.available).toBeGreaterThan(0n);
      await expect(billing.getBalance(request)).rejects.toThrow("unauthenticated");
      const credit = { ...request, tokens: 1n };
      await expect(billing.recharge(credit, { headers })).rejects.toThrow("permission_denied");
      const { status } = await createClient(Health, transport).check({});
      expect(status).toBe(HealthCheckResponse_ServingStatus.SERVING);
    }
  });
});
