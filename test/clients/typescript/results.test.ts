/** What a call gives beside its result: the response, typed errors, events for logs; its options, and its end. */
import { createClient, MediaError } from "../../../clients/typescript/index.ts";
import { fakeService, ok, refusal, unavailable } from "./fake-service.ts";

const VIDEO = { model: "alpha-2.0", prompt: "a cat" };

const answer = () => ok({ id: "vgen_1" }, { "request-id": "req_42", ratelimit: "5" });

it("a result has its response beside it, or comes as the response, whose body is unread, by one request", async () => {
  const { client, requests } = fakeService([answer]);
  const call = client.videos.create(VIDEO);
  const video = await call;
  const { status, headers, requestId } = video.lastResponse;
  expect([status, headers.get("ratelimit"), requestId]).toEqual([200, "5", "req_42"]);
  // What is beside it is neither compared nor serialised.
  expect(JSON.stringify(video)).toBe('{"id":"vgen_1"}');
  expect(await call.withResponse()).toMatchObject({ data: video, requestId });
  expect(await (await call.asResponse()).json()).toEqual({ id: "vgen_1" });
  expect(requests).toHaveLength(1);
});

it("an error is a MediaError, and names its generation", async () => {
  const details = { generation_id: "igen_1" };
  const refused = refusal(504, { type: "generation_error", code: "x", details });
  const { client } = fakeService([refused], { maxAttempts: 1 });
  const thrown = await client.images.create(VIDEO).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(MediaError);
  expect(thrown).toMatchObject({ generationId: "igen_1" });
  expect(`${thrown as Error}`).toMatch(/ \(code x, request req_1\)$/);
});

it("a create without an answer says that it may have been accepted only if it may have been sent", async () => {
  const failing = async (...codes: string[]) => {
    const left = [...codes];
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: { code: left.shift() } });
    };
    const { client } = fakeService([], { fetch, maxAttempts: codes.length });
    return String(await client.images.create(VIDEO).catch((error: unknown) => error));
  };
  const said = "The create may have been accepted: one with idempotencyKey";
  expect(await failing("ENOTFOUND", "ECONNREFUSED")).not.toContain(said);
  expect(await failing("ECONNRESET", "ECONNREFUSED")).toContain(said);
  const { client } = fakeService([ok({ ok: true })]);
  await expect(client.images.create(VIDEO)).rejects.toThrow(said);
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
    expect(() => createClient({ apiKey: "mgs_test_…" })).toThrow(/^The API key has a character/);
    vi.stubEnv("MEDIA_API_KEY", "");
    expect(() => createClient()).toThrow("option apiKey, or set MEDIA_API_KEY");
    expect(() => createClient({ baseURL: "https://a.example.com" } as object)).toThrow(
      "There is no option baseURL. Did you mean baseUrl? There are apiKey, ",
    );
    const { videos } = createClient({ apiKey: "mgs_test_option" });
    const repeated = { idempotency_key: "a" } as object;
    expect(() => videos.create({ model: "beta-3.0-video", prompt: "a cat" }, repeated)).toThrow(
      "There is no option idempotency_key. There are idempotencyKey, ",
    );
    expect(() => videos.create({ ...VIDEO, idempotencyKey: "a" } as never)).toThrow(
      "idempotencyKey is an option: give it in a second object.",
    );
  });

  it("of a call win over the client's: headers, attempts, time limit", async () => {
    const headers = { "x-team": "a", "x-shop": "1" };
    const unset = { "x-trace": undefined } as object;
    const { client, requests } = fakeService([unavailable()], { headers, maxAttempts: 3 });
    await expect(
      client.balance.retrieve({ headers: { "x-team": "b", ...unset }, maxAttempts: 2 }),
    ).rejects.toMatchObject({ name: "ServiceError", status: 503 });
    expect(requests).toHaveLength(2);
    const [request] = requests;
    expect([request?.headers.get("x-team"), request?.headers.get("x-shop")]).toEqual(["b", "1"]);
    expect(request?.headers.has("x-trace")).toBe(false);
  });
});

it("a create gets a key of its own", async () => {
  const { client, requests } = fakeService([ok({ id: "vgen_1" })]);
  for (const options of [undefined, { idempotencyKey: null as never }])
    await client.videos.create(VIDEO, options);
  const [first, second] = requests.map(({ headers }) => headers.get("idempotency-key"));
  expect(second).toMatch(/^[0-9a-f-]{36}$/);
  expect(first).not.toBe(second);
});

it("a call stops at once when the caller's signal aborts: before, during and between attempts", async () => {
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
