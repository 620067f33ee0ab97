/** The Python client refuses wrong arguments before anything is sent, by an error that says what is allowed. */
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, refusal, runPython } from "./python.ts";

const TRIED = `
def tried(call):
    try: call()
    except (TypeError, ValueError, media.ApiError, media.ConnectionError) as error: show(f"{type(error).__name__}: {error}")
    else: show("no error")
REQUEST = {"model": "alpha-2.0", "prompt": "a cat"}
`;

describe.skipIf(!hasPython)("the Python client (needs python3)", () => {
  it("refuses what is no id, no output and no option, and values out of range", async () => {
    await using service = await answeringService([{ body: { id: "vgen_1" } }]);
    const shown = await runPython(
      `${TRIED}
tried(lambda: client.retrieve_video(None))
tried(lambda: client.wait_for_image(""))
tried(lambda: client.download(None, "cat.mp4"))
tried(lambda: client.download({"id": "vgen_1", "output": [{"url": "u"}]}, "cat.mp4"))
for kind in (media.Client, media.AsyncClient):
    tried(lambda: kind(baseUrl="x"))
    show([str(inspect.signature(kind))[:32], kind.__init__.__doc__ is not None])
tried(lambda: client.retrieve_video("vgen_1", max_attemps=2))
tried(lambda: client.retrieve_balance(foo=1))
tried(lambda: client.create_video(**REQUEST, max_attempts=0))
tried(lambda: client.create_video(**REQUEST, timeout_seconds=-1))
tried(lambda: client.wait_for_video("vgen_1", poll_seconds=0))
for key in ["", "two words", "k" * 192, 7]: tried(lambda: client.videos.create(**REQUEST, idempotency_key=key))
tried(lambda: client.files.create(b"", idempotency_key=""))
tried(lambda: media.Client(api_key=KEY, base_url=URL, max_attempts=0))
tried(lambda: media.Client(api_key=KEY, base_url=URL, timeout_seconds=0))
show(client.create_video(**REQUEST, max_attempts=None, timeout_seconds=None)["id"])`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      "TypeError: The id must be a text; it is None.",
      "ValueError: The id must be a text that is not empty.",
      'TypeError: download needs an output with its URL, such as video["output"][0]; it is None.',
      'TypeError: download needs an output with its URL, such as video["output"][0]; it is the whole generation.',
      ...Array.from({ length: 2 }, () => [
        "TypeError: There is no option baseUrl. Did you mean base_url?",
        ["(*, api_key: 'str | None' = None", true],
      ]).flat(),
      "TypeError: There is no option max_attemps. Did you mean max_attempts?",
      expect.stringMatching(/^TypeError: There is no option foo\. There are headers, /),
      "ValueError: max_attempts must be a whole number of at least 1; it is 0.",
      "ValueError: timeout_seconds must be a number of seconds above 0; it is -1.",
      "ValueError: poll_seconds must be a number of seconds above 0; it is 0.",
      ...["''", "'two words'", `'${"k".repeat(192)}'`, "7", "''"].map(
        (key) => `ValueError: idempotency_key must match [!-~]{1,191}; it is ${key}.`,
      ),
      "ValueError: max_attempts must be a whole number of at least 1; it is 0.",
      "ValueError: timeout_seconds must be a number of seconds above 0; it is 0.",
      "vgen_1",
    ]);
    expect(service.requests).toHaveLength(1);
  });

  it("refuses a field or an option that is not known, also by its older name, and says what may be meant", async () => {
    await using service = await answeringService([{ body: {} }]);
    const names = ["timeout", "max_retries", "header", "promt", "idempotency_keys", "api_key"];
    const shown = await runPython(
      `${TRIED}
for name in ${JSON.stringify(names)}: tried(lambda: client.videos.create(**REQUEST, **{name: 2}))
tried(lambda: client.create_image_and_wait(**REQUEST, timeout=2))
tried(lambda: client.videos.list(stat="success"))
tried(lambda: client.usage.retrieve(group="day"))`,
      { URL: service.url },
    );
    const refused = (name: string, meant: string) =>
      `TypeError: There is no field or option ${name}. Did you mean ${meant}?`;
    expect(shown).toEqual([
      refused("timeout", "timeout_seconds"),
      refused("max_retries", "max_attempts"),
      refused("header", "headers"),
      refused("promt", "prompt"),
      refused("idempotency_keys", "idempotency_key"),
      expect.stringMatching(/^TypeError: There is no field or option api_key\. There are aspect_/),
      refused("timeout", "timeout_seconds"),
      refused("stat", "status"),
      refused("group", "group_by"),
    ]);
    expect(service.requests).toHaveLength(0);
  });

  it("sends a datetime as the service takes it, and refuses one without a time zone", async () => {
    await using service = await answeringService([{ body: { data: [], has_more: false } }]);
    const shown = await runPython(
      `${TRIED}
from datetime import datetime, timedelta, timezone
show(client.videos.list(created_after=datetime(2026, 11, 1, tzinfo=timezone(timedelta(hours=2)))).data)
tried(lambda: client.videos.list(created_before=datetime(2026, 11, 1)))
tried(lambda: media.AsyncClient(api_key=KEY, base_url=URL).requests.list(created_after=datetime(2026, 11, 1)))`,
      { URL: service.url },
    );
    const refused = (name: string) =>
      `ValueError: ${name} must have a time zone, as datetime.now(timezone.utc) has; it is datetime.datetime(2026, 11, 1, 0, 0), without one.`;
    expect(shown).toEqual([[], refused("created_before"), refused("created_after")]);
    expect(service.requests.map(({ path }) => path)).toEqual([
      "/v1/videos/generations?created_after=2026-11-01T00%3A00%3A00%2B02%3A00",
    ]);
  });

  it("completes its own names alone, and shows where a client sends to, without its key", async () => {
    const shown = await runPython(
      `
show(["Client" in dir(media), "types" in dir(media), "connection" in dir(media)])
show([repr(kind(api_key="mgs_test_secret", base_url="http://a.example")) for kind in (media.Client, media.AsyncClient)])`,
    );
    expect(shown).toEqual([
      [true, true, false],
      ["Client(base_url='http://a.example/v1')", "AsyncClient(base_url='http://a.example/v1')"],
    ]);
  });

  it("shows the names of today with the fields of each function, in help and in errors", async () => {
    const shown = await runPython(
      `${TRIED}
import pydoc
asynchronous = media.AsyncClient(api_key=KEY, base_url=URL)
for one in (client, asynchronous):
    show(str(inspect.signature(one.videos.create_and_wait)))
    text = pydoc.plain(pydoc.render_doc(one.videos.create_and_wait))
    show(["duration: int | None\\n        Seconds. The" in text, "wait_seconds: float\\n        Limit for" in text, "create" in dir(one.videos), "videos" in dir(one), "create_video" in dir(one)])
    show(["create_and_wait(*, model, prompt, image_url=None" in text, "then \`\`videos.wait\`\`" in text, "video_" in text.replace("video_url", "").split("Raises")[0]])
show([inspect.iscoroutinefunction(asynchronous.videos.create), inspect.iscoroutinefunction(client.videos.create)])
tried(lambda: client.videos.create(REQUEST))
tried(lambda: client.videos.retrieve("vgen_1", 5))
tried(lambda: client.videos.retrieve())
for kind in vars(client).values():
    for name, call in vars(kind).items() if type(kind).__module__.endswith("resources") else []:
        for old in ("create_", "_video", "_image"):
            if old in call.__doc__.split("\\n\\n")[0].replace("create_and_wait", ""): show([name, call.__doc__])`,
      {},
    );
    const signature = expect.stringMatching(
      /^\(\*, model, prompt, image_url=None, .*timeout_seconds=None.*, wait_seconds=None\) -> 'Video'$/,
    ) as string;
    expect(shown).toEqual([
      signature,
      [true, true, true, true, false],
      [true, true, false],
      signature,
      [true, true, true, true, false],
      [true, true, false],
      [true, false],
      "TypeError: videos.create takes its fields by name. Write model=…; for a dict write ** before it.",
      "TypeError: videos.retrieve takes its fields by name. After id write timeout_seconds=…; for a dict write ** before it.",
      "TypeError: videos.retrieve needs id.",
    ]);
  });

  it("ends a traceback with the code of the error and the id of the request", async () => {
    await using service = await answeringService([
      refusal(400, { type: "invalid_request_error", code: "out_of_range" }),
    ]);
    const shown = await runPython(
      `
import traceback
try: client.videos.create(model="alpha-2.0", prompt="a cat")
except media.ApiError as error: show([str(error), *"".join(traceback.format_exception(error)).splitlines()[-2:]])`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      [
        "Do this.",
        "media_generation_client.error_classes.InvalidRequestError: Do this.",
        "(code out_of_range, request req_1)",
      ],
    ]);
  });

  it("names base_url where its path is wrong, of this service or of another", async () => {
    const unknown = refusal(404, { type: "not_found_error", code: "route_not_found" });
    const gone = refusal(404, { type: "not_found_error", code: "generation_not_found" });
    await using service = await answeringService([
      unknown,
      { status: 404, body: "<html>" },
      gone,
      { body: "<html>" },
      { status: 308, headers: { location: "/v1/videos" }, body: "" },
      { body: { ok: true } },
    ]);
    const url = `${service.url}/foo`;
    const shown = await runPython(
      `${TRIED}
for _ in range(5): tried(lambda: client.retrieve_video("vgen_1"))
tried(lambda: client.videos.create(**REQUEST))
tried(lambda: client.videos.wait("vgen_1"))
tried(lambda: client.videos.list().data)
tried(lambda: client.models.list())`,
      { URL: url },
    );
    const asked = `GET ${url}/videos/generations/vgen_1`;
    const hint = "Check base_url: the base of the API ends in /v1.";
    expect(shown).toEqual([
      `NotFoundError: Do this. It answers ${asked}. ${hint}`,
      `NotFoundError: HTTP 404 without an error body of this service. It answers ${asked}. ${hint}`,
      "NotFoundError: Do this.",
      expect.stringMatching(
        /^ConnectionError: GET http\S+vgen_1 was answered with .*ends in \/v1\.$/,
      ),
      `ApiError: ${asked} redirects to ${service.url}/v1/videos, which is not followed. Correct base_url.`,
      ...["POST", "GET", "GET", "GET"].map((method): unknown =>
        expect.stringMatching(
          new RegExp(
            `^ConnectionError: ${method} http\\S+ was answered with other JSON, not by the API`,
          ),
        ),
      ),
    ]);
  });

  it("says what is wrong with a key, without showing it, and with a path to save to", async () => {
    await using service = await answeringService([{ body: {} }]);
    const shown = await runPython(
      `${TRIED}
import tempfile
for key in ["Bearer " + KEY, f'"{KEY}"', KEY + "\\n", "mgs_test_…"]: tried(lambda: media.Client(api_key=key, base_url=URL))
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("clips")
    output = {"url": URL}
    tried(lambda: client.download(output, "clips"))
    tried(lambda: client.download(output, "none/cat.mp4"))
    show(os.listdir("."))`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      'ValueError: The API key begins with "Bearer", which the client adds. Give the key alone.',
      "ValueError: The API key has quotation marks. Give the key without them.",
      "ValueError: The API key has a space or a line break. Give the key alone.",
      "ValueError: The API key has a character that no key has. Copy it again.",
      "ValueError: clips is a folder. Give the path of a file, such as clips/cat.mp4.",
      "ValueError: There is no folder none for none/cat.mp4. Make it first.",
      ["clips"],
    ]);
    expect(service.requests).toHaveLength(0);
  });

  it("says all faults of a request, so that each can be mended at once", async () => {
    const errors = [
      { code: "missing_field", message: "prompt is required.", param: "prompt" },
      { code: "unknown_field", message: "Unknown field: promt.", param: "promt" },
    ];
    const fault = { type: "invalid_request_error", code: "missing_field", errors };
    await using service = await answeringService([refusal(400, fault)]);
    const shown = await runPython(`${TRIED}\ntried(lambda: client.videos.create(**REQUEST))`, {
      URL: service.url,
    });
    expect(shown).toEqual(["InvalidRequestError: prompt is required. Unknown field: promt."]);
  });

  it("raises errors that can be copied and sent to another process, with all that they say, and have one base", async () => {
    await using service = await answeringService([
      refusal(429, { type: "rate_limit_error", code: "rate_limited", doc_url: "u" }, { a: "b" }),
    ]);
    const shown = await runPython(
      `
import copy, pickle
errors = [media.GenerationCanceledError("vgen_1"), media.WaitStoppedError("vgen_1", "Go on."), media.ConnectionError("no"), media.TimeoutError("no"), media.WebhookVerificationError("no")]
try: client.videos.retrieve("vgen_1", max_attempts=1)
except media.RateLimitError as error: errors.append(error)
state = lambda error: [type(error), str(error), error.args, vars(error)]
for error in errors:
    if any(state(other) != state(error) for other in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error))): show(error)
show([len(errors), errors[-1].code, errors[-1].headers["a"]])
show([[isinstance(error, media.MediaError), error.generation_id] for error in errors])
show([one for one in vars(media).values() if inspect.isclass(one) and issubclass(one, Exception) and not issubclass(one, media.MediaError)])`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      [6, "rate_limited", "b"],
      ["vgen_1", "vgen_1", null, null, null, null].map((id) => [true, id]),
      [],
    ]);
  });

  it("is taken by with, and the one for asyncio refuses calls after it", async () => {
    await using service = await answeringService([{ body: { available: 7 } }]);
    const shown = await runPython(
      `
with media.Client(api_key=KEY, base_url=URL) as client: show(client.retrieve_balance())
async def main():
    async with media.AsyncClient(api_key=KEY, base_url=URL) as client: show(await client.retrieve_balance())
    try: await client.retrieve_balance()
    except RuntimeError as error: show(str(error))
asyncio.run(main())`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      { available: 7 },
      { available: 7 },
      "This AsyncClient is closed. Make a new one.",
    ]);
  });
});
