/** When the Python client repeats a request, after what delay, and which errors it raises. */
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, refusal, runPython, type Answer } from "./python.ts";

const unavailable = (headers = {}) =>
  refusal(503, { type: "api_error", code: "unavailable" }, headers);

/** Runs the program against a service with these answers. */
async function against(answers: Answer[], program: string) {
  await using service = await answeringService(answers);
  const shown = await runPython(program, { URL: service.url });
  return { shown, requests: service.requests };
}

describe.skipIf(!hasPython)("the client (needs python3)", () => {
  it("tells after each attempt how it went, and raises Python's own ConnectionError without a response", async () => {
    const program = `
events = []
client = media.Client(api_key=KEY, base_url=URL, max_attempts=2, on_request=events.append, timing=timing)
client.balance.retrieve()
lost = media.Client(api_key=KEY, base_url="http://127.0.0.1:1", max_attempts=2, on_request=events.append, timing=timing)
try: lost.balance.retrieve()
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

  it("ends an attempt without an answer after its time limit", async () => {
    const program = `
import socket
server = socket.create_server(("127.0.0.1", 0))
client = media.Client(api_key=KEY, base_url=f"http://127.0.0.1:{server.getsockname()[1]}", timing=timing)
try: client.balance.retrieve(timeout_seconds=0.05, max_attempts=1)
except media.TimeoutError as error: show(isinstance(error, TimeoutError))`;
    expect(await runPython(program)).toEqual([true]);
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

  it("says what is missing or wrong about the URL and the key", async () => {
    const program = `
for options in [{"base_url": URL}, {"api_key": KEY}, {"api_key": KEY, "base_url": "media.example.com"}, {"api_key": "two\\nlines", "base_url": URL}]:
    try: media.Client(**options)
    except ValueError as error: show(str(error))`;
    expect(await runPython(program)).toEqual([
      "Give Client the option api_key, or set MEDIA_API_KEY in the environment.",
      "Give Client the option base_url, or set MEDIA_BASE_URL in the environment.",
      expect.stringContaining("begins with http:// or https://: media.example.com"),
      "The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.",
    ]);
  });
});
