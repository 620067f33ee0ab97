/** What a call gives beside its result: the response, typed errors, events for logs; and its options. */
import { describe, expect, it, onTestFinished, vi } from "vitest";
import {
  ApiError,
  BillingError,
  ConnectionError,
  createClient,
  GenerationCanceledError,
  MediaError,
  RateLimitError,
  TimeoutError,
  type RequestEvent,
} from "../../../clients/typescript/index.ts";
import { fakeService, ok, rateLimited, refusal, unavailable } from "./fake-service.ts";

const VIDEO = { model: "alpha-2.0", prompt: "a cat" };

describe("a result", () => {
  const answer = () => ok({ id: "vgen_1" }, { "request-id": "req_42", ratelimit: "5" });

  it("has the response's status, headers and request id, which are neither compared nor serialised", async () => {
    const { client } = fakeService([answer]);
    const video = await client.videos.retrieve("vgen_1");
    const { status, headers, requestId } = video.lastResponse;
    expect([status, headers.get("ratelimit"), requestId]).toEqual([200, "5", "req_42"]);
    expect(JSON.stringify(video)).toBe('{"id":"vgen_1"}');
    expect(video).toEqual({ id: "vgen_1" });
  });

  it("comes with the response, or as the response, whose body is unread, by one request", async () => {
    const { client, requests } = fakeService([answer]);
    const call = client.videos.create(VIDEO);
    const { data, response, requestId } = await call.withResponse();
    expect([data, response.status, requestId]).toEqual([{ id: "vgen_1" }, 200, "req_42"]);
    expect(await (await call.asResponse()).json()).toEqual({ id: "vgen_1" });
    expect(requests).toHaveLength(1);
  });

  it("is a promise like any other", async () => {
    const { client } = fakeService([answer]);
    const call = client.videos.retrieve("vgen_1");
    expect(call).toBeInstanceOf(Promise);
    const ended = vi.fn<() => void>();
    const [{ id }] = await Promise.all([call.finally(ended), call]);
    expect([id, ended.mock.calls.length]).toEqual(["vgen_1", 1]);
    const failing = fakeService([refusal(404, { type: "not_found_error", code: "gone" })]);
    expect(await failing.client.videos.retrieve("x").catch((error: ApiError) => error.code)).toBe(
      "gone",
    );
  });
});

describe("an error", () => {
  it("is of the class of its type, with the request id and the headers", async () => {
    const error = await fakeService([
      refusal(402, { type: "billing_error", code: "insufficient_tokens" }, { ratelimit: "5" }),
    ])
      .client.videos.create(VIDEO)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BillingError);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ name: "BillingError", requestId: "req_1" });
    expect((error as ApiError).headers.get("ratelimit")).toBe("5");
    await expect(
      fakeService([rateLimited()], { maxAttempts: 1 }).client.balance.retrieve(),
    ).rejects.toBeInstanceOf(RateLimitError);
  });

  it("says all faults of the request, so that each can be mended at once", async () => {
    const message = "prompt is required. Add it.";
    const unknown = 'Unknown field: promt. Did you mean "prompt"?';
    const errors = [
      { code: "missing_field", message, param: "prompt" },
      { code: "unknown_field", message: unknown, param: "promt" },
    ];
    const type = "invalid_request_error";
    const { client } = fakeService([
      refusal(400, { type, code: "missing_field", param: "prompt", message, errors }),
    ]);
    await expect(client.videos.create(VIDEO)).rejects.toMatchObject({
      code: "missing_field",
      param: "prompt",
      message: `${message} ${unknown}`,
    });
  });

  it("is a MediaError, whatever its class, and names its generation", async () => {
    const details = { generation_id: "igen_1" };
    const { client } = fakeService(
      [refusal(504, { type: "generation_error", code: "x", details })],
      {
        maxAttempts: 1,
      },
    );
    const thrown = await client.images.create(VIDEO).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(MediaError);
    expect(thrown).toMatchObject({ generationId: "igen_1" });
    const wrong = await client.videos.retrieve("").catch((error: unknown) => error);
    expect([wrong instanceof MediaError, wrong instanceof TypeError]).toEqual([true, true]);
    expect(wrong).not.toBeInstanceOf(ConnectionError);
    for (const other of [new GenerationCanceledError("vgen_1"), new ConnectionError("gone")])
      expect(other).toBeInstanceOf(MediaError);
    expect(new TypeError("other")).not.toBeInstanceOf(MediaError);
  });

  it("of a type that this version does not know is an ApiError", async () => {
    const { client } = fakeService([refusal(418, { type: "constructor", code: "new" })]);
    await expect(client.balance.retrieve()).rejects.toMatchObject({
      name: "ApiError",
      code: "new",
    });
  });
});

describe("options", () => {
  it("come from the environment, and win over it", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("MEDIA_API_KEY", " mgs_test_environment\n");
    vi.stubEnv("MEDIA_BASE_URL", "https://environment.example.com/v1");
    const sent = async (options: { apiKey?: string }) => {
      const fetch = vi.fn<(request: Request) => Promise<Response>>(async () => ok({}));
      await createClient({ fetch, ...options }).balance.retrieve();
      const request = fetch.mock.calls[0]?.[0];
      return [request?.url, request?.headers.get("authorization")];
    };
    const url = "https://environment.example.com/v1/balance";
    expect(await sent({})).toEqual([url, "Bearer mgs_test_environment"]);
    expect(await sent({ apiKey: "mgs_test_option" })).toEqual([url, "Bearer mgs_test_option"]);
    vi.stubEnv("MEDIA_API_KEY", "");
    expect(() => createClient()).toThrow("option apiKey, or set MEDIA_API_KEY");
  });

  it("of a call win over the client's: headers, attempts, time limit", async () => {
    const headers = { "x-team": "a", "x-shop": "1" };
    const { client, requests } = fakeService([unavailable()], { headers, maxAttempts: 3 });
    await expect(
      client.balance.retrieve({ headers: { "x-team": "b" }, maxAttempts: 2 }),
    ).rejects.toMatchObject({ name: "ServiceError", status: 503 });
    expect(requests).toHaveLength(2);
    const [request] = requests;
    expect([request?.headers.get("x-team"), request?.headers.get("x-shop")]).toEqual(["b", "1"]);
    expect(request?.headers.get("user-agent")).toMatch(/^media-generation-client\/\S+ \(node /);
  });

  it("limit the time of an attempt", async () => {
    const fetch = (_request: Request, init?: { signal: AbortSignal }) =>
      new Promise<Response>((_resolve, reject) => {
        init?.signal.addEventListener("abort", () => reject(new Error("aborted")));
      });
    const { client } = fakeService([], { fetch, maxAttempts: 1 });
    const error = await client.balance
      .retrieve({ timeoutMs: 1 })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toBeInstanceOf(ConnectionError);
  });

  it("tell of every attempt, without keys and bodies", async () => {
    const events: RequestEvent[] = [];
    const { client } = fakeService(
      [new TypeError("fetch failed"), unavailable({ "request-id": "req_7" }), ok({})],
      { onRequest: (event) => void events.push(event) },
    );
    await client.videos.create({ model: "alpha-2.0", prompt: "a secret" });
    const request = { method: "POST", url: "https://media.example.com/v1/videos/generations" };
    expect(events).toMatchObject([
      { ...request, attempt: 1, error: expect.any(ConnectionError) as Error, retryInMs: 250 },
      { ...request, attempt: 2, status: 503, requestId: "req_7", retryInMs: 500 },
      { ...request, attempt: 3, status: 200 },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/mgs_|secret/);
  });
});

describe("the URL of the service", () => {
  const urlOf = async (baseUrl: string) => {
    const { client, requests } = fakeService([ok({})], { baseUrl });
    await client.balance.retrieve();
    return requests[0]?.url;
  };

  it("gets /v1 where it has no path, and keeps a path that it has", async () => {
    for (const text of ["", "/", "/v1", "/v1/"])
      expect(await urlOf(`https://a.example.com${text}`)).toBe("https://a.example.com/v1/balance");
    expect(await urlOf("http://a.example.com/media")).toBe("http://a.example.com/media/balance");
  });

  it("is named by the error where its path is wrong, of this service or of another", async () => {
    const unknown = refusal(404, { type: "not_found_error", code: "route_not_found" });
    const baseUrl = "https://media.example.com/foo";
    for (const answer of [unknown, () => new Response("<html>", { status: 404 })]) {
      const { client } = fakeService([answer], { baseUrl });
      await expect(client.balance.retrieve()).rejects.toThrow(
        `It answers GET ${baseUrl}/balance. Check baseUrl: the base of the API ends in /v1.`,
      );
    }
    const gone = refusal(404, { type: "not_found_error", code: "generation_not_found" });
    const { client } = fakeService([gone], { baseUrl });
    await expect(client.videos.retrieve("vgen_1")).rejects.toThrow(/^Do this\.$/);
  });

  it("is named by the error where a web site answers every path with a page", async () => {
    const baseUrl = "https://media.example.com/dashboard";
    const page = () =>
      new Response("<html>", { headers: { "content-type": "text/html; charset=utf-8" } });
    const { client } = fakeService([page], { baseUrl });
    const says = (path: string) =>
      `GET ${baseUrl}${path} was answered with a web page, not by the API. Check baseUrl: the base of the API ends in /v1.`;
    await expect(client.balance.retrieve()).rejects.toThrow(says("/balance"));
    const updates = client.videos.watch("vgen_1")[Symbol.asyncIterator]();
    await expect(updates.next()).rejects.toThrow(says("/videos/generations/vgen_1"));
  });

  it("is refused with an example where it is none", async () => {
    for (const text of ["a.example.com", "localhost:8080/v1", "/v1", "ftp://a.example.com/v1"])
      await expect(urlOf(text)).rejects.toThrow(
        `baseUrl is not a URL that begins with http:// or https://: ${text}. An example: https://`,
      );
    await expect(urlOf("https://a.example.com/?x=1")).rejects.toThrow("must end with its path");
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("MEDIA_BASE_URL", "a.example.com");
    expect(() => createClient({ apiKey: "k" })).toThrow("MEDIA_BASE_URL is not a URL");
  });
});

describe("createVideoAndWait and createImageAndWait", () => {
  it("are the only functions that throw for a video that failed", async () => {
    const failed = ok({ id: "vgen_1", status: "failed", progress: 9 });
    const { client } = fakeService([failed]);
    for (const read of [client.videos.create(VIDEO), client.videos.retrieve("vgen_1")])
      expect(await read).toMatchObject({ status: "failed" });
    expect(await client.videos.wait("vgen_1")).toMatchObject({ status: "failed" });
  });
});
