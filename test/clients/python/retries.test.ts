/** When the Python client repeats a request, after what delay, and which errors it raises. */
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, refusal, runPython, type Answer } from "./python.ts";

const VIDEO = { id: "vgen_1", object: "video.generation", status: "pending", progress: 0 };
const unavailable = (headers = {}) =>
  refusal(503, { type: "api_error", code: "unavailable" }, headers);
const rateLimited = (headers = {}) =>
  refusal(429, { type: "rate_limit_error", code: "rate_limited" }, headers);

/** Runs the program against a service with these answers. */
async function against(answers: Answer[], program: string) {
  await using service = await answeringService(answers);
  const shown = await runPython(program, { URL: service.url });
  return { shown, requests: service.requests };
}

const CREATE = 'client.create_video(model="beta-3.0-video", prompt="a cat", duration=None)';
const REFUSED = `
try: ${CREATE}
except media.ApiError as error: show([type(error).__name__, error.status, error.code, error.param, error.request_id, str(error)])
show(slept)`;
const indented = (lines: string) => lines.replaceAll("\n", "\n    ");

describe.skipIf(!hasPython)("a create (needs python3)", () => {
  it("is sent again with the same Idempotency-Key and body after a broken response, a 500, 502, 503 and 504", async () => {
    const answers = [
      { breaks: true } as const,
      refusal(500, { type: "api_error", code: "internal" }),
      { status: 502, body: "<h1>Bad gateway</h1>" },
      unavailable(),
      { status: 504, body: "" },
      { body: VIDEO },
    ];
    const program = CREATE.replace("duration=None", "max_attempts=6");
    const { shown, requests } = await against(answers, `show(${program}); show(slept)`);
    expect(shown).toEqual([VIDEO, [0.25, 0.5, 1, 2, 4]]);
    expect(requests).toHaveLength(6);
    const [first] = requests;
    expect(first?.headers).toMatchObject({
      authorization: "Bearer mgs_test_example",
      "idempotency-key": expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      "content-type": "application/json",
      "user-agent": expect.stringMatching(
        /^media-generation-client\/\d+\.\d+\.\d+ \(python 3/,
      ) as string,
    });
    expect(JSON.parse(first?.body ?? "")).toEqual({ model: "beta-3.0-video", prompt: "a cat" });
    for (const sent of requests) expect(sent).toEqual(first);
  });

  it("gets a key of its own, unless the caller names one", async () => {
    const named = CREATE.replace("duration=None", 'idempotency_key="order-8841"');
    const { requests } = await against([{ body: VIDEO }], `${CREATE}; ${CREATE}; ${named}`);
    const keys = requests.map(({ headers }) => headers["idempotency-key"]);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe("order-8841");
    expect(JSON.parse(requests[2]?.body ?? "")).not.toHaveProperty("idempotency_key");
  });

  it("is sent once if it is refused, and the error is of the class of its type", async () => {
    const cases = [
      ["InvalidRequestError", 400, "invalid_request_error", "too_short"],
      ["AuthenticationError", 401, "authentication_error", "invalid_api_key"],
      ["BillingError", 402, "billing_error", "insufficient_tokens"],
      ["PermissionError", 403, "permission_error", "account_suspended"],
      ["IdempotencyError", 422, "idempotency_error", "idempotency_key_reused"],
      ["ApiError", 409, "error_of_tomorrow", "new"],
    ] as const;
    const answers = cases.map(([, status, type, code]) =>
      refusal(status, { type, code, param: "prompt" }),
    );
    const { shown, requests } = await against(answers, `for _ in range(6):${indented(REFUSED)}`);
    expect(shown).toEqual(
      cases.flatMap(([name, status, , code]) => [
        [name, status, code, "prompt", "req_1", "Do this."],
        [],
      ]),
    );
    expect(requests).toHaveLength(cases.length);
  });

  it("of an image is not sent again if it failed, but is if it still runs", async () => {
    const create = 'client.create_image(model="gamma-image-3.0-pro", prompt="a cat")';
    const failed = await against(
      [refusal(502, { type: "generation_error", code: "upstream_failed" })],
      `
try: ${create}
except media.GenerationError as error: show(error.code)`,
    );
    expect([failed.shown, failed.requests.length]).toEqual([["upstream_failed"], 1]);
    const running = refusal(504, { type: "generation_error", code: "generation_timeout" });
    const other = await against([running, { body: { id: "igen_1" } }], `show(${create})`);
    expect(other.shown).toEqual([{ id: "igen_1" }]);
    expect(new Set(other.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });
});

describe.skipIf(!hasPython)("the delay before another attempt (needs python3)", () => {
  it("is at least what Retry-After asks for, in seconds or as a date", async () => {
    const date = "Tue, 17 Nov 2026 12:00:20 GMT";
    const { shown } = await against(
      [rateLimited({ "retry-after": "7" }), unavailable({ "retry-after": date }), { body: {} }],
      "client.retrieve_balance(); show(slept)",
    );
    expect(shown).toEqual([[7.25, 20.5]]);
  });

  it("is not waited for if Retry-After is above a minute: the error is raised", async () => {
    const { shown, requests } = await against([rateLimited({ "retry-after": "61" })], REFUSED);
    expect(shown.at(-1)).toEqual([]);
    expect(requests).toHaveLength(1);
  });

  it("doubles up to eight seconds, and ends with the last attempt, whose error is raised", async () => {
    const program = REFUSED.replace("duration=None", "max_attempts=7");
    const { shown } = await against(
      [unavailable()],
      `${program}
from media_generation_client.retry import retry_delay_seconds
show(retry_delay_seconds(None, 5_000, True, timing))`,
    );
    expect(shown).toEqual([
      ["ServiceError", 503, "unavailable", null, "req_1", "Do this."],
      [0.25, 0.5, 1, 2, 4, 4],
      4,
    ]);
  });
});

describe.skipIf(!hasPython)("the client (needs python3)", () => {
  it("repeats a redelivery only after a 429, because it is not idempotent", async () => {
    const program = `
try: client.redeliver("whd_1")
except media.ServiceError: show("once")`;
    const { shown, requests } = await against([rateLimited(), unavailable()], program);
    expect([shown, requests.length]).toEqual([["once"], 2]);
  });

  it("tells after each attempt how it went, and raises Python's own ConnectionError without a response", async () => {
    const program = `
events = []
client = media.Client(api_key=KEY, base_url=URL, max_attempts=2, on_request=events.append, timing=timing)
client.retrieve_balance()
lost = media.Client(api_key=KEY, base_url="http://127.0.0.1:1", max_attempts=2, on_request=events.append, timing=timing)
try: lost.retrieve_balance()
except ConnectionError as error: show([isinstance(error, media.ConnectionError), isinstance(error, media.TimeoutError)])
show([[event.attempt, event.status, event.request_id, bool(event.error), event.retry_in_seconds] for event in events])`;
    const headers = { "request-id": "req_42" };
    const { shown } = await against([{ ...unavailable(headers) }, { headers, body: {} }], program);
    expect(shown).toEqual([
      [true, false],
      [
        [1, 503, "req_42", false, 0.25],
        [2, 200, "req_42", false, null],
        [1, null, null, true, 0.25],
        [2, null, null, true, null],
      ],
    ]);
  });

  it("sends headers of the caller's, those of the call before those of the client", async () => {
    const program = `
client = media.Client(api_key=KEY, base_url=URL, headers={"X-Team": "a", "User-Agent": "mine"})
client.retrieve_balance()
client.retrieve_balance(headers={"x-team": "b"})`;
    const { requests } = await against([{ body: {} }], program);
    expect(requests.map(({ headers }) => [headers["x-team"], headers["user-agent"]])).toEqual([
      ["a", "mine"],
      ["b", "mine"],
    ]);
  });

  it("ends an attempt without an answer after its time limit", async () => {
    const program = `
import socket
server = socket.create_server(("127.0.0.1", 0))
client = media.Client(api_key=KEY, base_url=f"http://127.0.0.1:{server.getsockname()[1]}", timing=timing)
try: client.retrieve_balance(timeout_seconds=0.05, max_attempts=1)
except media.TimeoutError as error: show(isinstance(error, TimeoutError))`;
    expect(await runPython(program)).toEqual([true]);
  });

  it("keeps connections, opens a new one where the service closed it, and for what is not idempotent", async () => {
    await using service = await answeringService([{ body: { available: 7 } }]);
    const program = `
import http.client
opened = []
connect = http.client.HTTPConnection.connect
http.client.HTTPConnection.connect = lambda self: (opened.append(1), connect(self))
def count(): show(len(opened)); opened.clear()
for _ in range(3): client.balance.retrieve()
count()
client.deliveries.redeliver("whd_1")
count()
kept = client._connection._sockets._idle
for deque in kept.values():
    for _, idle in deque: idle.sock.shutdown(2)
client.balance.retrieve(max_attempts=1)
count()
child = os.fork()
if child == 0:
    client.balance.retrieve()
    os._exit(len(opened))
show(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
client.balance.retrieve()
count()
client.close()
show(sum(map(len, kept.values())))
client.balance.retrieve()
count()`;
    expect(await runPython(program, { URL: service.url })).toEqual([1, 1, 1, 1, 0, 0, 1]);
  });

  it("asks through the proxy of the environment, with its name and password", async () => {
    await using proxy = await answeringService([{ body: { available: 7 } }]);
    const env = { http_proxy: proxy.url.replace("//", "//me:a%20b@"), no_proxy: "" };
    const program = `
show([client.balance.retrieve(), client.balance.retrieve()])
os.environ["no_proxy"] = "media.example.com"
try: client.balance.retrieve(max_attempts=1)
except media.ConnectionError as error: show("direct")`;
    const shown = await runPython(program, { ...env, URL: "http://media.example.com" });
    expect(shown).toEqual([[{ available: 7 }, { available: 7 }], "direct"]);
    expect(
      proxy.requests.map(({ path, headers }) => [path, headers["proxy-authorization"]]),
    ).toEqual(Array(2).fill(["http://media.example.com/v1/balance", `Basic ${btoa("me:a b")}`]));
  });

  it("raises for a proxy's answer the class of its status, with the code unknown", async () => {
    const statuses = [401, 403, 404, 429, 500, 503, 529, 405];
    const answers = statuses.map((status) => ({ status, body: "<html>" }));
    await using service = await answeringService(answers);
    const program = `
for _ in range(${statuses.length}):
    try: client.balance.retrieve(max_attempts=1)
    except media.ApiError as error: show([type(error).__name__, error.type, error.code])`;
    const shown = await runPython(program, { URL: service.url });
    expect(shown).toEqual([
      ["AuthenticationError", "authentication_error", "unknown"],
      ["PermissionError", "permission_error", "unknown"],
      ["NotFoundError", "not_found_error", "unknown"],
      ["RateLimitError", "rate_limit_error", "unknown"],
      ...Array<unknown>(3).fill(["ServiceError", "api_error", "unknown"]),
      ["ApiError", "api_error", "unknown"],
    ]);
  });

  it("follows no redirect, which could take the API key elsewhere", async () => {
    await using elsewhere = await answeringService([{ body: {} }]);
    const moved = { status: 307, headers: { location: elsewhere.url }, body: "" };
    const { shown } = await against([moved], REFUSED);
    expect(shown[0]).toEqual(expect.arrayContaining(["ApiError", 307, "unknown"]));
    expect(elsewhere.requests).toEqual([]);
  });

  it("says what is missing or wrong about the URL and the key", async () => {
    const program = `
for options in [{"base_url": URL}, {"api_key": KEY}, {"api_key": KEY, "base_url": "media.example.com"}, {"api_key": "two\\nlines", "base_url": URL}]:
    try: media.Client(**options)
    except ValueError as error: show(str(error))`;
    expect(await runPython(program)).toEqual([
      "Give Client the option api_key, or set MEDIA_API_KEY in the environment.",
      "Give Client the option base_url, or set MEDIA_BASE_URL in the environment.",
      expect.stringContaining("begins with http:// or https://: media.example.com"),
      "The API key has a space or a line break. Give the key alone.",
    ]);
  });
});
