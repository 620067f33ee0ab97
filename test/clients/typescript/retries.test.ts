/** When the client repeats a request, after what delay, and which errors it throws. */
import { describe, expect, it } from "vitest";
import { ApiError, ConnectionError } from "../../../clients/typescript/index.ts";
import {
  fakeService,
  rateLimited,
  ok,
  refusal,
  unavailable,
  type FakeAnswer,
} from "./fake-service.ts";

const video = { id: "vgen_1", object: "video.generation", status: "pending", progress: 0 };
const request = { model: "beta-3.0-video", prompt: "a cat" };
const lostConnection = () => new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
const keyOf = (sent: Request) => sent.headers.get("idempotency-key");

describe("a create", () => {
  it("is sent again with the same Idempotency-Key and body after a lost connection, a 500, 502, 503 and 504", async () => {
    const answers: FakeAnswer[] = [
      lostConnection(),
      refusal(500, { type: "api_error", code: "internal" }),
      new Response("<h1>Bad gateway</h1>", { status: 502 }),
      unavailable(),
      new Response("", { status: 504 }),
      ok(video),
    ];
    const { client, requests } = fakeService(answers, { maxAttempts: 6 });
    expect(await client.videos.create(request)).toEqual(video);
    expect(requests).toHaveLength(6);
    expect(new Set(requests.map(keyOf)).size).toBe(1);
    expect(keyOf(requests[0] as Request)).toMatch(/^[0-9a-f-]{36}$/);
    for (const sent of requests) expect(await sent.json()).toEqual(request);
  });

  it("gets a key of its own, unless the caller names one", async () => {
    const { client, requests } = fakeService([ok(video)]);
    await client.videos.create(request);
    await client.videos.create(request);
    await client.videos.create(request, { idempotencyKey: "order-8841" });
    const [first, second, third] = requests.map(keyOf);
    expect(first).not.toBe(second);
    expect(third).toBe("order-8841");
  });

  it("is sent again if the response breaks off", async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          pull: (controller) => controller.error(new Error("terminated")),
        }),
      );
    const { client, requests } = fakeService([broken, ok(video)]);
    expect(await client.videos.create(request)).toEqual(video);
    expect(requests).toHaveLength(2);
  });

  it.each([400, 401, 402, 403, 404, 409, 413, 415, 422])(
    "is sent once if the response is %i",
    async (status) => {
      const answer = refusal(status, { type: "invalid_request_error", code: "invalid_value" });
      const { client, requests, slept } = fakeService([answer]);
      await expect(client.videos.create(request)).rejects.toMatchObject({ status });
      expect(requests).toHaveLength(1);
      expect(slept).toEqual([]);
    },
  );

  it("of an image is not sent again if it failed, but is if it still runs", async () => {
    const failed = refusal(502, { type: "generation_error", code: "upstream_failed" });
    const one = fakeService([failed]);
    await expect(one.client.images.create(request)).rejects.toMatchObject({ status: 502 });
    expect(one.requests).toHaveLength(1);

    const running = refusal(504, { type: "generation_error", code: "generation_timeout" });
    const other = fakeService([running, ok({ ...video, id: "igen_1" })]);
    expect(await other.client.images.create(request)).toMatchObject({ id: "igen_1" });
    expect(new Set(other.requests.map(keyOf)).size).toBe(1);
  });
});

describe("the delay before another attempt", () => {
  it("doubles from half a second up to eight seconds, minus a random part of at most half", async () => {
    const maxJitter = { random: () => 0.999_999 };
    for (const [timing, factor] of [
      [undefined, 0.5],
      [maxJitter, 1],
    ] as const) {
      const slept: number[] = [];
      const { client } = fakeService([unavailable()], {
        maxAttempts: 7,
        timing: {
          random: timing?.random ?? (() => 0),
          sleep: async (ms) => void slept.push(Math.round(ms)),
        },
      });
      await expect(client.balance.retrieve()).rejects.toThrow(ApiError);
      const full = [500, 1_000, 2_000, 4_000, 8_000, 8_000];
      expect(slept).toEqual(full.map((ms) => ms * factor));
    }
  });

  it("is at least what Retry-After asks for, in seconds or as a date", async () => {
    const date = "Tue, 17 Nov 2026 12:00:20 GMT";
    const answers = [rateLimited({ "retry-after": "7" }), unavailable({ "retry-after": date })];
    const { client, slept } = fakeService([...answers, ok({ object: "balance" })]);
    await client.balance.retrieve();
    const passedMs = slept[0] ?? 0;
    expect(slept).toEqual([7_250, 20_000 - passedMs + 500]);
  });

  it("is not waited for if Retry-After is above a minute: the error is thrown", async () => {
    const { client, slept } = fakeService([rateLimited({ "retry-after": "61" })]);
    await expect(client.balance.retrieve()).rejects.toMatchObject({ code: "rate_limited" });
    expect(slept).toEqual([]);
  });
});

describe("the client", () => {
  it("repeats a redelivery only after a 429, because it is not idempotent", async () => {
    for (const answer of [lostConnection(), unavailable(), new Response("", { status: 502 })]) {
      const { client, requests } = fakeService([answer]);
      await expect(client.deliveries.redeliver("whd_1")).rejects.toBeInstanceOf(Error);
      expect(requests).toHaveLength(1);
    }
    const { client, requests } = fakeService([rateLimited(), ok({ id: "whd_1" })]);
    await client.deliveries.redeliver("whd_1");
    expect(requests).toHaveLength(2);
  });

  it("throws the last error after maxAttempts", async () => {
    const silent = fakeService([lostConnection()]);
    const error = await silent.client.balance.retrieve().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect((error as Error).message).toContain("https://media.example.com");
    expect((error as Error).message).toContain("ECONNRESET");
    const badPort = new TypeError("fetch failed", { cause: new Error("bad port") });
    const refused = fakeService([badPort], { maxAttempts: 1 });
    await expect(refused.client.balance.retrieve()).rejects.toThrow("cannot be reached: bad port");
    expect(silent.requests).toHaveLength(4);

    const once = fakeService([lostConnection(), ok({})], { maxAttempts: 1 });
    await expect(once.client.balance.retrieve()).rejects.toThrow(ConnectionError);
  });

  it("treats a time-out as a lost connection", async () => {
    const hang = (_request: Request, init?: { signal: AbortSignal }) =>
      new Promise<Response>((_, reject) => {
        const give = () => reject(init?.signal.reason as Error);
        init?.signal.addEventListener("abort", give);
      });
    const { client } = fakeService([], { fetch: hang, timeoutMs: 5, maxAttempts: 2 });
    await expect(client.balance.retrieve()).rejects.toThrow("no answer within 0.005 s");
  });

  it("stops at once when the caller's signal aborts: before, during and between attempts", async () => {
    const stop = new Error("stopped");
    const before = fakeService([ok({})]);
    const signal = AbortSignal.abort(stop);
    await expect(before.client.balance.retrieve({ signal })).rejects.toBe(stop);
    expect(before.requests).toHaveLength(0);

    const during = new AbortController();
    const { client } = fakeService([
      () => {
        during.abort(stop);
        return Promise.reject(new DOMException("aborted", "AbortError"));
      },
    ]);
    await expect(client.balance.retrieve({ signal: during.signal })).rejects.toBe(stop);

    const between = new AbortController();
    const retryInAMinute = () => {
      setImmediate(() => between.abort(stop));
      return unavailable({ "retry-after": "60" });
    };
    const waiting = fakeService([retryInAMinute], { timing: {} });
    await expect(waiting.client.balance.retrieve({ signal: between.signal })).rejects.toBe(stop);
    expect(waiting.requests).toHaveLength(1);
  });

  it("throws an ApiError with all fields of the response", async () => {
    const errors = [{ code: "too_long", message: "Do this.", param: "prompt" }];
    const answer = refusal(400, {
      type: "invalid_request_error",
      code: "too_long",
      param: "prompt",
      details: { generation_id: "igen_1" },
      errors,
    });
    const { client } = fakeService([answer]);
    const error = await client.images.create(request).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      name: "InvalidRequestError",
      status: 400,
      type: "invalid_request_error",
      code: "too_long",
      param: "prompt",
      message: "Do this.",
      requestId: "req_1",
      details: { generation_id: "igen_1" },
      errors,
    });
  });

  it("throws for a proxy's answer the class of its status, with the code unknown", async () => {
    const classes: unknown[] = [];
    for (const status of [401, 403, 404, 429, 500, 503, 529, 405]) {
      const proxy = fakeService([new Response("<html>", { status })]);
      const refused = proxy.client.balance.retrieve({ maxAttempts: 1 });
      const { name, type, code } = (await refused.catch((error: unknown) => error)) as ApiError;
      classes.push([status, name, type, code]);
    }
    expect(classes).toEqual([
      [401, "AuthenticationError", "authentication_error", "unknown"],
      [403, "PermissionError", "permission_error", "unknown"],
      [404, "NotFoundError", "not_found_error", "unknown"],
      [429, "RateLimitError", "rate_limit_error", "unknown"],
      ...[500, 503, 529].map((status) => [status, "ServiceError", "api_error", "unknown"]),
      [405, "ApiError", "api_error", "unknown"],
    ]);
  });

  it("throws an ApiError for another server's response, with the request id if it has one", async () => {
    const headers = { "request-id": "req_2" };
    const proxy = fakeService([new Response("no", { status: 418, headers })]);
    await expect(proxy.client.balance.retrieve()).rejects.toMatchObject({
      status: 418,
      code: "unknown",
      requestId: "req_2",
    });
    const page = fakeService([new Response("<html>", { status: 200 })]);
    await expect(page.client.balance.retrieve()).rejects.toThrow(
      "The response is not JSON. Check baseUrl: the base of the API ends in /v1.",
    );
  });
});
