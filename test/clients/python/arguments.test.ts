/** The Python client refuses wrong arguments before anything is sent; its errors and results can be copied. */
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, refusal, runPython } from "./python.ts";

const VIDEO = { id: "vgen_1", status: "success", output: [{ url: "u" }], error: { code: "c" } };

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
tried(lambda: client.videos.retrieve(None))
tried(lambda: client.download({"id": "vgen_1", "output": [{"url": "u"}]}, "cat.mp4"))
for kind in (media.Client, media.AsyncClient): tried(lambda: kind(baseUrl="x"))
tried(lambda: client.videos.retrieve("vgen_1", max_attemps=2))
tried(lambda: client.videos.create(**REQUEST, max_attempts=0))
tried(lambda: client.videos.wait("vgen_1", poll_seconds=0))
tried(lambda: client.videos.create(**REQUEST, idempotency_key="two words"))
tried(lambda: media.Client(api_key=KEY, base_url=URL, timeout_seconds=0))
show(client.videos.create(**REQUEST, max_attempts=None, timeout_seconds=None)["id"])`,
      { URL: service.url },
    );
    const baseUrl = "TypeError: There is no option baseUrl. Did you mean base_url?";
    expect(shown).toEqual([
      "TypeError: The id must be a text; it is None.",
      'TypeError: download needs an output with its URL, such as video["output"][0]; it is the whole generation.',
      baseUrl,
      baseUrl,
      "TypeError: There is no option max_attemps. Did you mean max_attempts?",
      "ValueError: max_attempts must be a whole number of at least 1; it is 0.",
      "ValueError: poll_seconds must be a number of seconds above 0; it is 0.",
      "ValueError: idempotency_key must match [!-~]{1,191}; it is 'two words'.",
      "ValueError: timeout_seconds must be a number of seconds above 0; it is 0.",
      "vgen_1",
    ]);
    expect(service.requests).toHaveLength(1);
  });

  it("refuses a field or an option that is not known, and says what may be meant", async () => {
    const shown = await runPython(
      `${TRIED}
for name in ["max_retries", "promt"]: tried(lambda: client.videos.create(**REQUEST, **{name: 2}))
tried(lambda: client.videos.list(stat="success"))`,
    );
    const refused = (name: string, meant: string) =>
      `TypeError: There is no field or option ${name}. Did you mean ${meant}?`;
    expect(shown).toEqual([
      refused("max_retries", "max_attempts"),
      refused("promt", "prompt"),
      refused("stat", "status"),
    ]);
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

  it("gives results that are copied, pickled and serialised as dicts are", async () => {
    await using service = await answeringService([{ body: VIDEO }]);
    const shown = await runPython(
      `
import copy, pickle
video = client.videos.retrieve("vgen_1")
for other in (copy.copy(video), copy.deepcopy(video), pickle.loads(pickle.dumps(video))):
    show([other == video, type(other) == type(video), other.last_response == video.last_response, isinstance(other["output"][0], dict)])
show(video)
show(repr(video) == repr(json.loads(json.dumps(video))))`,
      { URL: service.url },
    );
    expect(shown).toEqual([...Array<unknown>(3).fill([true, true, true, true]), VIDEO, true]);
  });

  it("is taken by with, and the one for asyncio refuses calls after it", async () => {
    await using service = await answeringService([{ body: { available: 7 } }]);
    const shown = await runPython(
      `
with media.Client(api_key=KEY, base_url=URL) as client: show(client.balance.retrieve())
async def main():
    async with media.AsyncClient(api_key=KEY, base_url=URL) as client: show(await client.balance.retrieve())
    try: await client.balance.retrieve()
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
