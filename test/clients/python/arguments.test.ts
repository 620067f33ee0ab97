/** The Python client refuses wrong arguments before anything is sent, by an error that says what is allowed. */
import { describe, expect, it } from "vitest";
import { answeringService, hasPython, refusal, runPython } from "./python.ts";

const TRIED = `
def tried(call):
    try: call()
    except (TypeError, ValueError, media.ApiError) as error: show(f"{type(error).__name__}: {error}")
    else: show("no error")
REQUEST = {"model": "alpha-2.0", "prompt": "a cat"}
`;

describe.skipIf(!hasPython)("the Python client (needs python3)", () => {
  it("refuses what is no id, no output and no option, and values out of range", async () => {
    await using service = await answeringService([{ body: {} }]);
    const shown = await runPython(
      `${TRIED}
tried(lambda: client.retrieve_video(None))
tried(lambda: client.wait_for_image(""))
tried(lambda: client.download(None, "cat.mp4"))
tried(lambda: client.retrieve_video("vgen_1", max_attemps=2))
tried(lambda: client.retrieve_balance(foo=1))
tried(lambda: client.create_video(**REQUEST, max_attempts=0))
tried(lambda: client.create_video(**REQUEST, timeout_seconds=-1))
tried(lambda: client.wait_for_video("vgen_1", poll_seconds=0))
tried(lambda: media.Client(api_key=KEY, base_url=URL, max_attempts=0))
tried(lambda: media.Client(api_key=KEY, base_url=URL, timeout_seconds=0))
show(client.create_video(**REQUEST, max_attempts=None, timeout_seconds=None))`,
      { URL: service.url },
    );
    expect(shown).toEqual([
      "TypeError: The id must be a text; it is None.",
      "ValueError: The id must be a text that is not empty.",
      'TypeError: download needs an output with its URL, such as video["output"][0]; it is None.',
      "TypeError: There is no option max_attemps. Did you mean max_attempts?",
      expect.stringMatching(/^TypeError: There is no option foo\. There are headers, /),
      "ValueError: max_attempts must be a whole number of at least 1; it is 0.",
      "ValueError: timeout_seconds must be a number of seconds above 0; it is -1.",
      "ValueError: poll_seconds must be a number of seconds above 0; it is 0.",
      "ValueError: max_attempts must be a whole number of at least 1; it is 0.",
      "ValueError: timeout_seconds must be a number of seconds above 0; it is 0.",
      {},
    ]);
    expect(service.requests).toHaveLength(1);
  });

  it("names base_url where its path is wrong, of this service or of another", async () => {
    const unknown = refusal(404, { type: "not_found_error", code: "route_not_found" });
    const gone = refusal(404, { type: "not_found_error", code: "generation_not_found" });
    await using service = await answeringService([unknown, { status: 404, body: "<html>" }, gone]);
    const url = `${service.url}/foo`;
    const shown = await runPython(
      `${TRIED}
for _ in range(3): tried(lambda: client.retrieve_video("vgen_1"))`,
      { URL: url },
    );
    const hint = `Check the path of base_url, usually /v1: it is ${url}.`;
    expect(shown).toEqual([
      `NotFoundError: Do this. ${hint}`,
      `ApiError: HTTP 404 without an error body of this service. ${hint}`,
      "NotFoundError: Do this.",
    ]);
  });

  it("says of a video that failed the status that an error response has for its code", async () => {
    const error = { code: "expired", message: "Try again." };
    const failed = { id: "vgen_1", status: "failed", progress: 0, error };
    await using service = await answeringService([{ body: failed }]);
    const program = `
try: client.create_video_and_wait(model="alpha-2.0", prompt="a cat")
except media.GenerationError as error: show([error.status, error.code])`;
    expect(await runPython(program, { URL: service.url })).toEqual([[504, "expired"]]);
  });

  it("is taken by with, and the one for asyncio closes its threads then", async () => {
    await using service = await answeringService([{ body: { available: 7 } }]);
    const shown = await runPython(
      `
with media.Client(api_key=KEY, base_url=URL) as client: show(client.retrieve_balance())
async def main():
    async with media.AsyncClient(api_key=KEY, base_url=URL) as client: show(await client.retrieve_balance())
    try: await client.retrieve_balance()
    except RuntimeError as error: show("closed")
asyncio.run(main())`,
      { URL: service.url },
    );
    expect(shown).toEqual([{ available: 7 }, { available: 7 }, "closed"]);
  });
});
