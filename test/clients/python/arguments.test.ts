/** The arguments, pictures and settings of the Python client, and what its errors, results and events are like. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { answeringService, hasPython, runPython } from "./python.ts";

describe.skipIf(!hasPython)("the Python client (needs python3)", () => {
  it("refuses what is no option, and sends fields and times as the service takes them", async () => {
    await using service = await answeringService([
      { body: { id: "vgen_1", data: [], has_more: false } },
    ]);
    const shown = await service.runPython(`
from datetime import datetime, timedelta, timezone
def tried(call):
    try: call()
    except (TypeError, ValueError) as error: show(f"{type(error).__name__}: {str(error)[:49]}")
tried(lambda: client.videos.retrieve("vgen_1", max_attemps=2))
for kind in (media.Client, media.AsyncClient): tried(lambda: kind(baseUrl="x"))
for kind in (media.Client, media.AsyncClient): tried(lambda: kind(api_key=KEY, base_url=URL).videos.list(staus="x"))
tried(lambda: client.videos.list(created_after=datetime(2026, 11, 1)))
listing = client.videos.list(created_after=datetime(2026, 11, 1, tzinfo=timezone(timedelta(hours=2))))
show(repr(listing))
show([listing.data, listing.has_more])
client.usage.retrieve(from_="2026-11-01")
client.videos.create(model="m", prompt_="a cat", idempotency_key="")`);
    expect(shown).toEqual([
      "TypeError: There is no option max_attemps. Did you mean max_",
      ...Array<string>(2).fill("TypeError: There is no option baseUrl. Did you mean base_url"),
      ...Array<string>(2).fill("TypeError: There is no option staus. Did you mean status? Th"),
      "ValueError: created_after needs a time zone, such as datetime",
      "<Listing: a for loop reads every item; .data has those of the first page>",
      [[], false],
    ]);
    expect(service.requests.map(({ path, body }) => path + body)).toEqual([
      "/v1/videos/generations?created_after=2026-11-01T00%3A00%3A00%2B02%3A00",
      "/v1/usage?from=2026-11-01",
      `/v1/videos/generations{"model": "m", "prompt_": "a cat"}`,
    ]);
    // The service refuses it: a create without the caller's key would be charged twice.
    expect(service.requests.at(-1)?.headers["idempotency-key"]).toBe("");
  });

  it("refuses an option of a wait that is none before the create is sent", async () => {
    await using service = await answeringService([{ status: 500 }]);
    const shown = await service.runPython(`
video = {"model": "m", "prompt": "a cat"}
for option in ({"max_attempts": 0}, {"idempotency_key": 5}, {"idempotency_key": "ключ"}, {"wait_seconds": "600"}, {"poll_seconds": float("inf")}, {"timeout_seconds": float("nan")}, {"on_progress": "a"}, {"on_progres": print}, {"metadata": {"a": {7}}}, {"seed": float("nan")}):
    try: client.videos.create_and_wait(**video, **option)
    except (TypeError, ValueError) as error: show(str(error))
try: asyncio.run(media.AsyncClient(api_key=KEY, base_url=URL).videos.create_and_wait(**video, on_progress="a"))
except TypeError as error: show(str(error))`);
    const give = "give a string, a number, a list or a dict.";
    expect(shown).toEqual([
      "max_attempts must be a whole number, 1 or more; it is 0.",
      "idempotency_key must be a str; it is 5.",
      "idempotency_key takes printable ASCII characters only, not 'ключ'.",
      "wait_seconds must be a number, 0 or more; it is '600'.",
      "poll_seconds must be a number, 0 or more; it is inf.",
      "timeout_seconds must be a number, 0 or more; it is nan.",
      "on_progress must be a function; it is 'a'.",
      `on_progres is a builtin_function_or_method: ${give} Did you mean on_progress?`,
      `metadata.a is a set: ${give}`,
      "seed is nan, a number that JSON does not have.",
      "on_progress must be a function; it is 'a'.",
    ]);
    expect(service.requests).toHaveLength(0);
  });

  it("gives results and errors of one base, all of which can be copied and sent to another process", async () => {
    const error = { code: "rate_limited", message: "Wait.", request_id: "req_1" };
    const refusal = { status: 429, headers: { a: "b" }, body: { error } };
    const video = { body: { status: "success", output: [{}] } };
    await using service = await answeringService([video, refusal]);
    const shown = await service.runPython(`
import copy, pickle
copies = lambda one: (pickle.loads(pickle.dumps(one)), copy.copy(one), copy.deepcopy(one))
video = client.videos.retrieve("vgen_1")
show([other == video and type(other) is type(video) and other.last_response.status for other in copies(video)])
errors = [media.GenerationCanceledError("vgen_1"), media.WaitStoppedError("vgen_1", "Go on."), media.ConnectionError("no"), media.TimeoutError("no"), media.WebhookVerificationError("no")]
try: client.videos.retrieve("vgen_1", max_attempts=1)
except media.RateLimitError as error: errors.append(error)
state = lambda error: [type(error), str(error), error.args, vars(error)]
for error in errors:
    if any(state(other) != state(error) for other in copies(error)): show(error)
show([len(errors), errors[-1].code, errors[-1].headers["a"], errors[-1].message, str(errors[-1])])
show([[isinstance(error, media.MediaError), error.generation_id] for error in errors])`);
    expect(shown).toEqual([
      [200, 200, 200],
      [6, "rate_limited", "b", "Wait.", "Wait. (code rate_limited, request req_1)"],
      ["vgen_1", "vgen_1", null, null, null, null].map((id) => [true, id]),
    ]);
  });

  it("raises Python's own errors without a response or within its time limit", async () => {
    await using service = await answeringService([{ silent: true }]);
    const shown = await service.runPython(`
import time
lost = media.Client(api_key=KEY, base_url="http://127.0.0.1:1", max_attempts=1)
try: lost.balance.retrieve()
except ConnectionError as error: show([isinstance(error, media.ConnectionError), isinstance(error, media.TimeoutError)])
began = time.monotonic()
try: client.balance.retrieve(timeout_seconds=0.05, max_attempts=1)
except TimeoutError as error: show([isinstance(error, media.ConnectionError), time.monotonic() - began < 20])`);
    expect(shown).toEqual([
      [true, false],
      [true, true],
    ]);
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

  it("says what is missing of the URL and the key, and uses the service that pip has it from", async () => {
    const program = `
import tempfile
with tempfile.TemporaryDirectory() as folder:
    # In place of one that the user has installed.
    about = pathlib.Path(folder, "media_generation_client-1.0.0.dist-info")
    about.mkdir()
    (about / "METADATA").write_text("Name: media-generation-client")
    sys.path.insert(0, folder)
    for options in [{"base_url": URL}, {"api_key": KEY}, {"api_key": "two\\nlines", "base_url": URL}]:
        try: media.Client(**options)
        except ValueError as error: show(str(error))
    for url in ("file:///docs/packages/m.whl", "http://127.0.0.1:1/docs/packages/m.whl"):
        (about / "direct_url.json").write_text(json.dumps({"url": url}))
        try: media.Client(api_key=KEY, max_attempts=1).balance.retrieve()
        except (ValueError, media.ConnectionError) as error: show(str(error))`;
    expect(await runPython(program)).toEqual([
      "Give Client the option api_key, or set MEDIA_API_KEY in the environment.",
      "Give Client the option base_url, or set MEDIA_BASE_URL in the environment.",
      "The API key has a character that no key has. Give the key alone, without Bearer and quotation marks.",
      "Give Client the option base_url, or set MEDIA_BASE_URL in the environment.",
      expect.stringMatching(/^The service at http:..127\.0\.0\.1:1 cannot be reached/),
    ]);
  });

  it("begins a download that breaks off anew, leaves no file of one that fails, and says why there is none", async () => {
    await using folder = await temporaryFolder();
    const file = { body: "the file", headers: { "content-length": "8" } };
    await using service = await answeringService([{ breaks: true }, file, { status: 410 }]);
    const shown = await runPython(
      `
path = pathlib.Path(os.environ["FILE"])
output = {"url": URL + "/assets/1.mp4"}
client.download({"id": "vgen_1", "output": [output]}, path)
show([path.read_text(), slept])
try: client.download(output, str(path) + "2")
except media.ApiError as error: show(error.status)
try: client.download({"url": "file:///etc/hostname"}, path, max_attempts=1)
except media.ConnectionError as error: show("no URL of the web")
show([one.name for one in path.parent.iterdir()])
try: client.download(output, path / "none.mp4")
except NotADirectoryError as error: show(error.filename == str(path / "none.mp4"))
try: client.download(output, path.parent / "none" / "cat.mp4")
except FileNotFoundError as error: show(str(error).replace(str(path.parent), ""))
for without in ({"status": "failed", "error": {"code": "expired"}}, {"status": "canceled"}, {"status": "pending"}):
    try: client.download({**without, "output": []})
    except ValueError as error: show(str(error))`,
      { URL: service.url, FILE: join(folder.path, "cat.mp4") },
    );
    const none = "[Errno 2] No such file or directory: '/none/cat.mp4'";
    expect(shown).toEqual([
      ["the file", [0.25]],
      410,
      "no URL of the web",
      ["cat.mp4"],
      true,
      none,
      "It is failed (expired) and has no file. Create another.",
      "It is canceled and has no file. Create another.",
      "It is pending and has no file. Wait until it has ended.",
    ]);
    const authorizations = service.requests.map(({ headers }) => headers["authorization"]);
    expect(authorizations).toEqual(Array(3).fill(undefined));
  });
});

describe.skipIf(!hasPython)("a picture (needs python3)", () => {
  it("of any form is sent first wherever a create takes one, and its URL takes its place", async () => {
    await using folder = await temporaryFolder();
    const path = join(folder.path, "c");
    await writeFile(path, "c");
    await using service = await answeringService([
      { body: { id: "file_1", url: "https://f.example.com/1" } },
    ]);
    await runPython(
      `
path = pathlib.Path(os.environ["FILE"])
pictures = [b"a", bytearray(b"b"), path, path.open("rb"), io.BytesIO(b"d")]
client.images.create(model="m", prompt="p", image_urls=["https://a.example.com/1.png", *pictures], mask_url=b"e", metadata={"path": str(path)})
client.videos.create(model="m", prompt="p", image_url=b"f", last_image_url=b"g", reference_images=[{"url": b"h", "role": "style"}])
client.images.create(model="m", prompt="p", image_urls=[client.files.retrieve("file_1")])`,
      { URL: service.url, FILE: path },
    );
    const files = service.requests.filter(
      ({ method, path: sent }) => method === "POST" && sent === "/v1/files",
    );
    expect(files.map(({ body }) => body).join("")).toBe("abccdefgh");
    expect(new Set(files.map(({ headers }) => headers["content-type"]))).toEqual(
      new Set(["application/octet-stream"]),
    );
    const url = "https://f.example.com/1";
    const creates = service.requests.filter(({ path: sent }) => sent.endsWith("/generations"));
    const urls = ["https://a.example.com/1.png", ...Array<string>(5).fill(url)];
    const request = { model: "m", prompt: "p" };
    expect(creates.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { ...request, image_urls: urls, mask_url: url, metadata: { path } },
      {
        ...request,
        image_url: url,
        last_image_url: url,
        reference_images: [{ url, role: "style" }],
      },
      { ...request, image_urls: [url] },
    ]);
  });

  it("that is too large is refused in the service's words, by one attempt unless the connection breaks", async () => {
    const headers = { connection: "close" };
    const error = { type: "invalid_request_error", code: "body_too_large", message: "Too large." };
    await using service = await answeringService([
      { unread: true, breaks: true },
      { unread: true, status: 413, headers, body: { error } },
    ]);
    const shown = await service.runPython(`
try: client.files.create(bytes(21_000_000))
except media.InvalidRequestError as error: show([error.status, error.code, slept])`);
    expect(shown).toEqual([[413, "body_too_large", [0.25]]]);
    expect(service.requests).toHaveLength(2);
  });
});
