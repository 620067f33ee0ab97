/** When the client repeats a request, after what delay. */
import { describe, expect, it } from "vitest";
import { TimeoutError } from "../../../clients/typescript/index.ts";
import { fakeService, ok, unavailable } from "./fake-service.ts";

const video = { id: "vgen_1", object: "video.generation", status: "pending", progress: 0 };
const request = { model: "beta-3.0-video", prompt: "a cat" };
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

describe("the client", () => {
  it("treats a time-out as a lost connection", async () => {
    const hang = (_request: Request, init?: { signal: AbortSignal }) =>
      new Promise<Response>((_, reject) => {
        const give = () => reject(init?.signal.reason as Error);
        init?.signal.addEventListener("abort", give);
      });
    const { client } = fakeService([], { fetch: hang, timeoutMs: 5, maxAttempts: 2 });
    const timedOut = client.balance.retrieve();
    await expect(timedOut).rejects.toThrow("no answer within 0.005 s");
    await expect(timedOut).rejects.toBeInstanceOf(TimeoutError);
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
});
