/** When the client repeats a request, after what delay, and which errors it throws. */
import { describe, expect, it } from "vitest";
import { ApiError, ConnectionError } from "../../../clients/typescript/index.ts";
import { fakeService, ok, refusal, unavailable } from "./fake-service.ts";

const video = { id: "vgen_1", object: "video.generation", status: "pending", progress: 0 };
const request = { model: "beta-3.0-video", prompt: "a cat" };
const lostConnection = () => new TypeError("fetch failed", { cause: { code: "ECONNRESET" } });
const keyOf = (sent: Request) => sent.headers.get("idempotency-key");

describe("a create", () => {
  it("gets a key of its own, unless the caller names one", async () => {
    const { client, requests } = fakeService([ok(video)]);
    await client.videos.create(request);
    await client.videos.create(request);
    await client.videos.create(request, { idempotencyKey: "order-8841" });
    const [first, second, third] = requests.map(keyOf);
    expect(first).not.toBe(second);
    expect(third).toBe("order-8841");
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
});

describe("the client", () => {
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
});
